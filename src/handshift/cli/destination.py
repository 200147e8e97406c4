"""Where results may go: known to be possible before hours of work, and never over somebody's own file."""

from __future__ import annotations

import os
import re
from pathlib import Path

from handshift.core.atomic import WriteError

SIGNATURE = b"handshift"
SIGNED_WITHIN = 4096  # bytes; all our formats name the program at their head


def check_folder(folder: Path) -> None:
    """Refuse a folder that is a file, or that could not be made or written to."""
    if folder.exists() and not folder.is_dir():
        raise WriteError(f"{folder}: a file where a folder was wanted. Choose another name.")
    nearest = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise WriteError(f"{folder}: cannot be written to. Choose a folder you may write to.")


def check_file(path: Path) -> None:
    """Refuse to write over a file that handshift did not write: it may be the scan, or its transcript."""
    if path.is_dir():
        raise WriteError(f"{path}: a folder where a file was wanted. Add a file name.")
    check_folder(path.parent)
    if not path.exists():
        return
    with path.open("rb") as file:
        head = file.read(SIGNED_WITHIN)
    if head.strip() and SIGNATURE not in head:
        raise WriteError(
            f"{path}: exists and was not written by handshift. Choose another name, or remove it."
        )


class FileNames:
    """File names that tell the page they come from, none given twice in a run."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, source: Path, number: int, suffix: str, tag: str = "") -> str:
        """``letter.xml``, ``letter-p2.xml``, and ``letter-2.xml`` for another folder's letter."""
        stem = re.sub(r"[^\w.-]+", "-", source.stem.encode("utf-8", "replace").decode("utf-8")).strip("-.")
        base = (stem[:80] or "page") + (f"-p{number + 1}" if number else "") + (f"-{tag}" if tag else "")
        candidate, count = base, 1
        while (candidate + suffix).casefold() in self._taken:
            count += 1
            candidate = f"{base}-{count}"
        self._taken.add((candidate + suffix).casefold())
        return candidate + suffix
