"""Files below a folder, in the order that people count in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from handshift.core.errors import PageError


def natural_order(path: Path) -> list[tuple[int, int, str]]:
    """Sort key that puts page 2 before page 10."""
    # Numbers of any length are compared by length and then by digits, without being converted.
    parts = re.findall(r"[0-9]+|[^0-9]+", str(path).casefold())
    digits = [part.lstrip("0") if part[0] in "0123456789" else None for part in parts]
    return [
        (1, 0, part) if number is None else (0, len(number), number)
        for part, number in zip(parts, digits, strict=True)
    ]


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


def scans_below(folder: Path, suffixes: Collection[str]) -> tuple[list[Path], list[PageError]]:
    """Every scan below a folder, without hidden files and folders."""
    errors: list[PageError] = []

    def record(error: OSError) -> None:
        reason = f"the folder cannot be read ({error.strerror}); check its permissions"
        errors.append(PageError(error.filename or folder, reason))

    scans = [path for path in walk_files(folder, record) if is_scan(path, suffixes)]
    if not scans and not errors:
        kinds = ", ".join(sorted(suffix[1:] for suffix in suffixes))
        errors.append(PageError(folder, f"no scans in this folder (looked for {kinds})"))
    return sorted(scans, key=natural_order), errors


def is_scan(path: Path, suffixes: Collection[str]) -> bool:
    """Whether a file has one of these suffixes and is not hidden."""
    return path.suffix.lower() in suffixes and not path.name.startswith(".")
