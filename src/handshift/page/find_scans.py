"""Expands files, folders, glob patterns and the sources of archives into a list of scans."""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from handshift.core.errors import PageError
from handshift.core.file_folder import is_url
from handshift.page.scan import SCAN_SUFFIXES
from handshift.page.walk_files import is_scan, natural_order, scans_below

_OFFERED = (".json", ".xml", ".zip", ".cbz", ".tar", ".gz", ".tgz", ".bz2", ".xz")


@dataclass(slots=True)
class FoundScans:
    """Scans in the order asked for, and an error for each path that leads to none."""

    scans: list[Path] = field(default_factory=list)
    errors: list[PageError] = field(default_factory=list)


def find_scans(paths: Iterable[Path | str], suffixes: Collection[str] = SCAN_SUFFIXES) -> FoundScans:
    """Expand files, folders (recursively), glob patterns and what archives offer; each file comes once.

    A path without scans becomes an entry in ``errors``, so that one mistake does not stop a batch.

    Args:
        paths: Files, folders and patterns; IIIF manifests, METS, zip and tar files, addresses.
        suffixes: Suffixes of scans, in lower case, used for folders and patterns.

    Returns:
        The scans and the errors.
    """
    found = FoundScans()
    seen: set[str] = set()
    for path in paths:
        offered = _offered(path) if suffixes is SCAN_SUFFIXES else None
        scans, errors = offered or _expand(Path(path), suffixes)
        found.errors += errors
        for scan in scans:
            identity = os.path.realpath(scan)  # a link and its target are one scan
            if identity not in seen:
                seen.add(identity)
                found.scans.append(scan)
    return found


def _offered(path: Path | str) -> tuple[list[Path], list[PageError]] | None:
    """What an archive offers under a name that may be of a manifest, a METS or a packed file, or a URL."""
    if not is_url(path) and not str(path).lower().endswith(_OFFERED):
        return None
    # Most scans are plain files; they need not wait for libraries that fetch and unpack.
    from handshift.page.archive.expand_source import expand_source

    return expand_source(path)


def _expand(path: Path, suffixes: Collection[str]) -> tuple[list[Path], list[PageError]]:
    # A file named explicitly is read whatever its suffix; the decoder looks at its content.
    try:
        if path.is_file():
            return [path], []
    except OSError as error:  # such as a name that is too long
        return [], [PageError(path, f"cannot be opened ({error.strerror}); check the spelling")]
    if path.is_dir():
        return scans_below(path, suffixes)
    if path.exists():  # a pipe, a device: reading it might never end
        return [], [PageError(path, "not an ordinary file; give the scan itself")]
    if not glob.has_magic(str(path)):
        return [], [PageError(path, "no such file or folder; check the spelling")]
    matches = sorted(map(Path, glob.glob(str(path), recursive=True)), key=natural_order)  # noqa: PTH207
    scans = [match for match in matches if match.is_file() and is_scan(match, suffixes)]
    for folder in filter(Path.is_dir, matches):
        scans += scans_below(folder, suffixes)[0]  # a folder without scans is no fault of the pattern
    return scans, [] if scans else [PageError(path, "no scan fits this pattern; check it, or quote it")]
