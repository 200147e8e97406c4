"""Files, folders and patterns become a list of scans to read."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from handshift.core.errors import PageError
from handshift.page.scan import SCAN_SUFFIXES


@dataclass(slots=True)
class Found:
    """Scans in the order asked for, and what was asked for but is not there."""

    scans: list[Path] = field(default_factory=list)
    errors: list[PageError] = field(default_factory=list)


def find_scans(paths: Iterable[Path | str], suffixes: Collection[str] = SCAN_SUFFIXES) -> Found:
    """Expand files, folders (with everything below) and patterns; each file comes once.

    A path that leads nowhere becomes an entry in ``errors``, so that one slip does not stop a batch.
    """
    found = Found()
    seen: set[str] = set()
    for path in paths:
        scans, errors = _expand(Path(path), suffixes)
        found.errors += errors
        for scan in scans:
            identity = os.path.realpath(scan)  # a link and its target are one letter
            if identity not in seen:
                seen.add(identity)
                found.scans.append(scan)
    return found


def natural_order(path: Path) -> list[tuple[int, int, str]]:
    """Sort key that puts page 2 before page 10."""
    parts = re.findall(r"[0-9]+|[^0-9]+", str(path).casefold())
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in parts]


def _expand(path: Path, suffixes: Collection[str]) -> tuple[list[Path], list[PageError]]:
    # A file that was named is taken at its word, whatever its suffix; the reader looks inside.
    if path.is_file():
        return [path], []
    if path.is_dir():
        return _below(path, suffixes)
    if not glob.has_magic(str(path)):
        return [], [PageError(path, "no such file or folder; check the spelling")]
    matches = sorted(map(Path, glob.glob(str(path), recursive=True)), key=natural_order)  # noqa: PTH207
    scans = [match for match in matches if match.is_file() and _is_scan(match, suffixes)]
    for folder in filter(Path.is_dir, matches):
        scans += _below(folder, suffixes)[0]  # a folder without scans is no fault of the pattern
    return scans, [] if scans else [PageError(path, "no scan fits this pattern; check it, or quote it")]


def _below(folder: Path, suffixes: Collection[str]) -> tuple[list[Path], list[PageError]]:
    """Every scan under a folder, hidden files and folders left out."""
    scans: list[Path] = []
    errors: list[PageError] = []

    def note(error: OSError) -> None:
        reason = f"the folder cannot be read ({error.strerror}); check its permissions"
        errors.append(PageError(error.filename or folder, reason))

    for base, folders, files in os.walk(folder, onerror=note):
        folders[:] = [name for name in folders if not name.startswith(".")]
        scans += [Path(base, name) for name in files if _is_scan(Path(name), suffixes)]
    if not scans and not errors:
        kinds = ", ".join(sorted(suffix[1:] for suffix in suffixes))
        errors.append(PageError(folder, f"no scans in this folder (looked for {kinds})"))
    return sorted(scans, key=natural_order), errors


def _is_scan(path: Path, suffixes: Collection[str]) -> bool:
    return path.suffix.lower() in suffixes and not path.name.startswith(".")
