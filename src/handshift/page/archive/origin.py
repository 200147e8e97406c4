"""Where a scan in the cache comes from: a canvas, a packed file, an address."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from handshift.core.atomic import write_text
from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.page.archive.canvas_list import canvas_of

UNPACKED, REMOTE = "unpacked", "remote"
"""Folders of the cache, with a folder for each source in them."""


def note_origin(folder: Path, source: Path | str) -> None:
    """Note the source of a folder of the cache, beside it."""
    note = _note(folder)
    if not note.is_file():
        write_text(note, str(source).rstrip("/"))


def origin_of(scan: Path) -> str | None:
    """What a reader knows a scan by that was fetched or unpacked; None for a file of the user's own.

    Returns:
        The id of the IIIF canvas, or the packed file or address with the scan's place in it.
    """
    with suppress(PageError):  # some other file may be called as the list of canvases is
        if (known := canvas_of(scan)) is not None:
            return known[0].id
    for kind in (UNPACKED, REMOTE):
        root = cache_folder(kind)
        if scan.is_relative_to(root):
            name, *place = scan.relative_to(root).parts
            note = _note(root / name)
            return "/".join([note.read_text(encoding="utf-8"), *place]) if note.is_file() else None
    return None


def known_as(scan: Path) -> str:
    """What a reader knows a scan by: its origin, or its path."""
    return origin_of(scan) or str(scan)


def _note(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.source")
