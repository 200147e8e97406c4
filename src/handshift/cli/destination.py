"""Checks of output paths before any work, so that no file of the user is overwritten."""

from __future__ import annotations

import os
import re
from pathlib import Path

from handshift.core.atomic import WriteError
from handshift.core.file_names import is_reserved, unfit_name
from handshift.core.terminal_text import one_line

_HEAD = 4096  # bytes; all our formats name the program within them
_OWN_HEADERS = (
    rb'\s*\{\s*(?:"schema"\s*:\s*[0-9]+\s*,\s*)?"handshift"\s*:\s*"[0-9]',  # JSON of examine and others
    rb'\s*\{\s*"(?:command|written_by)"\s*:\s*"handshift ',  # JSON of validate and maps
    rb'<!doctype html>[^\0]*?<head>[^\0]*?<meta name="generator" content="handshift">',
    rb"<\?xml[^>]*>\s*<PcGts[^>]*>\s*<Metadata>\s*<Creator>handshift ",
    rb'<\?xml[^>]*>\s*<TEI[^>]*>[^\0]*?<application ident="handshift"',
    rb"<svg [^>]*>\s*<title>[^<]*hands (?:told|found) by handshift</title>",
    rb"\xef\xbb\xbf[a-z0-9_,]+,model,handshift,case,exhibit,examiner,note\r\n",  # CSV
    rb"<\?xml[^>]*>\s*<!DOCTYPE svg [^>]*>\s*<svg [^\0]*?<dc:title>handshift</dc:title>",  # figures
    rb"\x89PNG\r\n\x1a\n[\0-\xff]*?tEXtSoftware\0handshift",
)
_OWN = re.compile(b"|".join(b"(?:" + header + b")" for header in _OWN_HEADERS))


def check_folder(folder: Path) -> None:
    """Refuse a folder that is a file, or that could not be made or written to."""
    if problem := unfit_name(folder):
        raise WriteError(f"{one_line(folder)}: {problem}. Choose another name.")
    if folder.exists() and not folder.is_dir():
        raise WriteError(f"{one_line(folder)}: a file where a folder was wanted. Choose another name.")
    nearest = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise WriteError(f"{one_line(folder)}: cannot be written to. Choose a folder you may write to.")


def check_file(path: Path) -> None:
    """Refuse to write over a file that handshift did not write: it may be the scan, or its transcript."""
    if problem := unfit_name(path):
        raise WriteError(f"{one_line(path)}: {problem}. Choose another name.")
    if path.is_dir():
        raise WriteError(f"{one_line(path)}: a folder where a file was wanted. Add a file name.")
    check_folder(path.parent)
    if path.is_symlink():
        raise WriteError(f"{one_line(path)}: is a link. Give the file it leads to, or another name.")
    if not path.exists():
        return
    if not path.is_file():  # a device, a pipe, a socket
        raise WriteError(f"{one_line(path)}: is not a regular file. Choose another name.")
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise WriteError(
            f"{one_line(path)}: cannot be opened ({error.strerror}). Choose another name."
        ) from error
    if head.strip() and not _OWN.match(head):
        raise WriteError(
            f"{one_line(path)}: exists and was not written by handshift. Choose another name, or remove it."
        )


class FileNames:
    """File names derived from the page they belong to, unique within a run."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def name(self, source: Path, number: int, suffix: str, tag: str = "") -> str:
        """``letter.xml``, ``letter-p2.xml``, and ``letter-2.xml`` for another folder's letter."""
        stem = re.sub(r"[^\w.-]+", "-", source.stem.encode("utf-8", "replace").decode("utf-8")).strip("-.")
        stem = f"{stem}-page" if is_reserved(stem) else stem  # reports are read on other systems, too
        base = (stem[:80] or "page") + (f"-p{number + 1}" if number else "") + (f"-{tag}" if tag else "")
        candidate, count = base, 1
        while (candidate + suffix).casefold() in self._taken:
            count += 1
            candidate = f"{base}-{count}"
        self._taken.add((candidate + suffix).casefold())
        return candidate + suffix
