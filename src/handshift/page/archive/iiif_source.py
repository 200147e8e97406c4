"""The images of a IIIF manifest or collection as files: those beside a saved manifest, else fetched."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.core.loaders import LoadError, read_json
from handshift.core.terminal_text import one_line
from handshift.page.archive.canvas_list import digest, list_canvases
from handshift.page.archive.iiif_manifest import (
    Canvas,
    Manifest,
    address_of,
    collection_members,
    is_collection,
    is_iiif,
    read_manifest,
)
from handshift.page.archive.polite_fetch import LARGEST_JSON, PoliteFetcher
from handshift.page.walk_files import natural_order

DEEPEST = 5
"""Collections within collections."""
_IMAGES = (".jpg", ".jpeg", ".png", ".tif", ".tiff", ".jp2", ".jpx", ".webp")


def iiif_images(source: Path | str, fetcher: PoliteFetcher | None = None) -> Iterator[Path | PageError]:
    """Yield the image of every canvas of a manifest or collection, in order, or why there is none.

    The canvas of each is listed beside it: see `canvas_of`.

    Args:
        source: A saved manifest or collection, or its address.
        fetcher: Fetches what is not on this machine.

    Raises:
        PageError: The source is not IIIF, or cannot be fetched.
    """
    fetcher = fetcher or PoliteFetcher()
    yield from _images(source, fetcher, DEEPEST, set())


def _images(
    source: Path | str, fetcher: PoliteFetcher, depth: int, seen: set[str]
) -> Iterator[Path | PageError]:
    path = source if isinstance(source, Path) else _saved(source, fetcher)
    content = read_iiif(path)
    if is_collection(content):
        if depth == 0:
            raise PageError(path, f"collections within collections more than {DEEPEST} deep are not read")
        for member in collection_members(content):
            address = address_of(member)
            if address in seen:
                continue
            seen.add(address)
            inner: Path | str = address
            if isinstance(source, Path) and (beside := _beside(source, address)) is not None:
                inner = beside
            try:
                yield from _images(inner, fetcher, depth - 1, seen)
            except PageError as error:
                yield error
        return
    try:
        manifest = read_manifest(content)
    except ValueError as error:
        raise PageError(path, f"cannot be read as a IIIF manifest ({error})") from error
    yield from _manifest_images(manifest, path, source, fetcher)


def read_iiif(path: Path) -> dict[str, Any]:
    """Read a manifest or collection.

    Raises:
        PageError: It is neither.
    """
    try:
        content = read_json(path, "a IIIF manifest", LARGEST_JSON)
    except LoadError as error:
        raise PageError(path, error.problem) from error
    if not is_iiif(content):
        raise PageError(path, "neither a IIIF manifest nor a collection of version 2.1 or 3")
    return dict(content)


def _manifest_images(
    manifest: Manifest, path: Path, source: Path | str, fetcher: PoliteFetcher
) -> Iterator[Path | PageError]:
    folder = cache_folder("iiif") / digest(f"{manifest.id}\n{path if isinstance(source, Path) else source}")
    local = _local_images(path.parent) if isinstance(source, Path) else []
    fetched = {one.stem.rpartition("-")[2]: one for one in folder.glob("*") if one.suffix.lower() in _IMAGES}
    found: list[tuple[Path, Canvas]] = []
    outcomes: list[Path | PageError] = []
    for number, canvas in enumerate(_shown(manifest)):
        image = _local_image(canvas, number, local, len(manifest.canvases))
        try:
            # Not by number alone: a manifest may be given again with a canvas more in the middle.
            key = digest(f"{canvas.id}\n{canvas.address}")
            place = fetched.get(key, folder / f"{number + 1:04d}-{key}{_suffix(canvas)}")
            image = image or fetcher.fetch(canvas.address, place)
        except PageError as error:
            outcomes.append(error)
            continue
        found.append((image, canvas))
        outcomes.append(image)
    for parent in {image.parent for image, _ in found}:
        list_canvases(parent, [pair for pair in found if pair[0].parent == parent], manifest)
    yield from outcomes


def _shown(manifest: Manifest) -> Iterable[Canvas]:
    """The canvases, with a bar on a terminal: at two images a second, hundreds take minutes."""
    if not sys.stderr.isatty():
        return manifest.canvases
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import track

    title = f"Fetching {escape(one_line(manifest.label or manifest.id)[:40])}"
    return track(manifest.canvases, title, console=Console(stderr=True), transient=True)


def _saved(url: str, fetcher: PoliteFetcher) -> Path:
    saved = cache_folder("iiif") / "manifests" / f"{digest(url)}.json"
    return fetcher.fetch(url, saved, LARGEST_JSON, anew=bool(os.environ.get("HANDSHIFT_REFRESH")))


def _path_of(address: str) -> str:
    """The path of an address; empty where it is none."""
    try:
        return unquote(urlsplit(address).path)
    except ValueError:
        return ""


def _beside(collection: Path, address: str) -> Path | None:
    """A manifest saved beside its collection, by the last parts of its address."""
    parts = [part for part in _path_of(address).split("/") if part not in ("", ".", "..")]
    for count in range(1, min(3, len(parts)) + 1):
        tail = Path(*parts[-count:])
        for candidate in (collection.parent / tail, collection.parent / f"{tail}.json"):
            with suppress(OSError):  # a name that is too long for any file
                if candidate.is_file() and candidate != collection:
                    return candidate
    return None


def _local_images(folder: Path) -> list[Path]:
    images = [path for path in folder.iterdir() if path.suffix.lower() in _IMAGES]
    below = [path for path in (folder / "images").glob("*") if path.suffix.lower() in _IMAGES]
    return sorted(images or below, key=natural_order)


def _local_image(canvas: Canvas, number: int, local: list[Path], canvases: int) -> Path | None:
    """The image of a canvas beside its manifest: by name, or by place if there are as many as canvases."""
    names = {_plain(part) for part in re.split(r"[/,]", _path_of(canvas.image)) if part}
    names -= {"default", "full", "max", "0", "native"}
    named = [path for path in local if _plain(path.name) in names]
    if len(named) == 1:
        return named[0]
    return local[number] if len(local) == canvases and not named else None


def _plain(name: str) -> str:
    stem, dot, suffix = name.rpartition(".")
    return (stem if dot and f".{suffix.lower()}" in _IMAGES else name).casefold()


def _suffix(canvas: Canvas) -> str:
    suffix = Path(_path_of(canvas.address)).suffix.lower()
    return suffix if suffix in _IMAGES else ".jpg"
