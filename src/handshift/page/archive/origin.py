"""Where a scan in the cache comes from: a canvas, a packed file, an address."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from handshift.core.atomic import write_text
from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.page.archive.canvas_list import canvas_of

UNPACKED, REMOTE, METS = "unpacked", "remote", "mets"
"""Folders of the cache, with a folder for each source in them."""


def note_origin(place: Path, source: Path | str) -> None:
    """Note the source of a folder or file of the cache, beside it."""
    note, content = _note(place), str(source).rstrip("/").encode("utf-8", "replace").decode()
    if not (note.is_file() and _read(note) == content):
        write_text(note, content)


def origin_of(scan: Path) -> str | None:
    """What a reader knows a scan by that was fetched or unpacked; None for a file of the user's own.

    Returns:
        The id of the IIIF canvas; the image that a METS file names; or the packed file or address with the
        scan's place in it.
    """
    with suppress(PageError):  # some other file may be called as the list of canvases is
        if (known := canvas_of(scan)) is not None:
            return known[0].id
    for kind in (UNPACKED, REMOTE, METS):
        root = cache_folder(kind)
        if scan.is_relative_to(root):
            name, *place = scan.relative_to(root).parts
            if kind == METS:  # each image has a source of its own
                name, place = scan.relative_to(root).as_posix(), []
            note = _note(root / name)
            return "/".join([_read(note), *place]) if note.is_file() else None
    return None


def known_as(scan: Path) -> str:
    """What a reader knows a scan by: its origin, or its path."""
    return origin_of(scan) or str(scan)


def _read(note: Path) -> str:
    return note.read_text(encoding="utf-8", errors="replace")


def _note(place: Path) -> Path:
    return place.with_name(f"{place.name}.source")
