"""Expands files, folders and glob patterns into a list of scans."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from handshift.core.errors import PageError
from handshift.page.scan import SCAN_SUFFIXES


@dataclass(slots=True)
class FoundScans:
    """Scans in the order asked for, and an error for each path that leads to none."""

    scans: list[Path] = field(default_factory=list)
    errors: list[PageError] = field(default_factory=list)


def find_scans(paths: Iterable[Path | str], suffixes: Collection[str] = SCAN_SUFFIXES) -> FoundScans:
    """Expand files, folders (recursively) and glob patterns; each file comes once.

    A path without scans becomes an entry in ``errors``, so that one mistake does not stop a batch.

    Args:
        paths: Files, folders and patterns.
        suffixes: Suffixes of scans, in lower case, used for folders and patterns.

    Returns:
        The scans and the errors.
    """
    found = FoundScans()
    seen: set[str] = set()
    for path in paths:
        scans, errors = _expand(Path(path), suffixes)
        found.errors += errors
        for scan in scans:
            identity = os.path.realpath(scan)  # a link and its target are one scan
            if identity not in seen:
                seen.add(identity)
                found.scans.append(scan)
    return found


def natural_order(path: Path) -> list[tuple[int, int, str]]:
    """Sort key that puts page 2 before page 10."""
    # Numbers of any length are compared by length and then by digits, without being converted.
    parts = re.findall(r"[0-9]+|[^0-9]+", str(path).casefold())
    digits = [part.lstrip("0") if part[0] in "0123456789" else None for part in parts]
    return [
        (1, 0, part) if number is None else (0, len(number), number)
        for part, number in zip(parts, digits, strict=True)
    ]


def _expand(path: Path, suffixes: Collection[str]) -> tuple[list[Path], list[PageError]]:
    # A file named explicitly is read whatever its suffix; the decoder looks at its content.
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


def walk_files(folder: Path, on_error: Callable[[OSError], None] = lambda _: None) -> Iterator[Path]:
    """Yield every file below a folder of any depth, without hidden files and folders; links are not entered.

    Args:
        folder: Where to start.
        on_error: Called for each folder that cannot be read.
    """
    waiting = [folder]
    while waiting:  # a stack and no recursion, which ends at a thousand folders
        current = waiting.pop()
        try:
            with os.scandir(current) as listing:
                entries = [entry for entry in listing if not entry.name.startswith(".")]
        except OSError as error:
            on_error(error)
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(current / entry.name)
            elif not entry.is_dir():  # a link to a folder may lead back to where it stands
                yield current / entry.name


def _below(folder: Path, suffixes: Collection[str]) -> tuple[list[Path], list[PageError]]:
    """Every scan below a folder, without hidden files and folders."""
    errors: list[PageError] = []

    def record(error: OSError) -> None:
        reason = f"the folder cannot be read ({error.strerror}); check its permissions"
        errors.append(PageError(error.filename or folder, reason))

    scans = [path for path in walk_files(folder, record) if _is_scan(path, suffixes)]
    if not scans and not errors:
        kinds = ", ".join(sorted(suffix[1:] for suffix in suffixes))
        errors.append(PageError(folder, f"no scans in this folder (looked for {kinds})"))
    return sorted(scans, key=natural_order), errors


def _is_scan(path: Path, suffixes: Collection[str]) -> bool:
    return path.suffix.lower() in suffixes and not path.name.startswith(".")
