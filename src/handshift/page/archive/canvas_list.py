"""Which canvas an image shows: a list in its folder, or in the cache where that may not be written to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from handshift.core.atomic import WriteError, write_text
from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.core.loaders import LoadError, read_json
from handshift.page.archive.iiif_manifest import Canvas, Manifest

CANVASES = "canvases.json"
"""In a folder of images: manifest and canvas of each."""


def canvas_of(scan: Path) -> tuple[Canvas, str] | None:
    """The canvas that an image shows, and the label (or address) of its manifest; None if there is none.

    Raises:
        PageError: The list of canvases is damaged.
    """
    for listing in (scan.parent / CANVASES, _listing_elsewhere(scan.parent)):
        if listing.is_file():
            found = listing.stat()
            known = _listed(listing, (found.st_mtime_ns, found.st_size)).get(scan.name)
            if known is not None:
                return known
    return None


@lru_cache(maxsize=8)
def _listed(listing: Path, version: tuple[int, int]) -> dict[str, tuple[Canvas, str]]:
    """By the names of images; read again for another `version` of the file."""
    try:
        return {
            row["file"]: (Canvas(**row["canvas"]), str(row["label"] or row["manifest"]))
            for row in read_json(listing)["images"]
        }
    except (LoadError, KeyError, TypeError) as error:
        raise PageError(listing, f"damaged ({error}); remove it and read the manifest again") from error


def list_canvases(folder: Path, images: list[tuple[Path, Canvas]], manifest: Manifest) -> None:
    """List the canvases of images; those of other manifests with images in the same folder stay."""
    about = {"manifest": manifest.id, "label": manifest.label}
    rows = [{"file": image.name, **about, "canvas": asdict(canvas)} for image, canvas in images]
    for place in (folder / CANVASES, _listing_elsewhere(folder)):
        try:
            kept = _others(place, {image.name for image, _ in images})
            write_text(place, json.dumps({"images": kept + rows}, ensure_ascii=False, indent=1) + "\n")
            return
        except UnicodeEncodeError as error:
            raise PageError(folder, f"the manifest holds text that is not Unicode ({error})") from error
        except WriteError:  # an archive's own folder may not be written to; the cache may
            continue
    raise PageError(folder, "canvases can be listed neither there nor in the cache; set HANDSHIFT_CACHE")


def _others(listing: Path, names: set[str]) -> list[dict[str, Any]]:
    """Rows of a list for other images than these; none of a list that is missing or damaged."""
    try:
        return [row for row in read_json(listing)["images"] if row["file"] not in names]
    except (LoadError, KeyError, TypeError):
        return []


def _listing_elsewhere(folder: Path) -> Path:
    """Where canvases are listed of a folder that may not be written to."""
    return cache_folder("iiif") / "listed" / f"{digest(str(folder.absolute()))}.json"


def digest(text: str) -> str:
    """A name for what belongs to a text; addresses in JSON may hold what UTF-8 does not."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
