"""METS: the images of a digitised object in their order, with the PAGE-XML or ALTO that belongs to each."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.page.archive.mets_file import MetsFile
from handshift.page.archive.origin import METS, note_origin
from handshift.page.archive.polite_fetch import PoliteFetcher
from handshift.page.decode_worker import isolated_mets
from handshift.page.sidecar import segmentation_candidates


def mets_images(path: Path, fetcher: PoliteFetcher | None = None) -> Iterator[Path | PageError]:
    """Yield the image of every page in the order of the physical structure, or why there is none.

    A page whose XML does not lie where handshift looks for it is linked in the cache, image and XML side by
    side.

    Args:
        path: The METS file; its paths are relative to it, and lead to files in its folder alone.
        fetcher: Fetches images that are addresses.

    Raises:
        PageError: The file is not METS, or lists no image.
    """
    pages = isolated_mets(path)
    fetcher = fetcher or PoliteFetcher()
    folder = cache_folder(METS) / hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    for number, (image, text) in enumerate(pages, 1):
        try:
            scan = _located(image, path, folder, fetcher)
            words = _located(text, path, folder, fetcher) if text else None
            placed = _side_by_side(scan, words, folder, number)
            if placed.is_relative_to(folder):
                note_origin(placed, image.href if scan.is_relative_to(folder) else scan)
            yield placed
        except (PageError, OSError, ValueError) as error:  # an address or a name may be none
            yield error if isinstance(error, PageError) else PageError(path, f"{image.href}: {error}")


def _located(file: MetsFile, mets: Path, folder: Path, fetcher: PoliteFetcher) -> Path:
    scheme = urlsplit(file.href).scheme
    if scheme in ("http", "https"):
        suffix = Path(urlsplit(file.href).path).suffix or (".xml" if file.is_text else ".jpg")
        name = hashlib.sha256(file.href.encode()).hexdigest()[:16]
        return fetcher.fetch(file.href, folder / "fetched" / f"{name}{suffix}")
    if scheme not in ("", "file"):
        raise PageError(mets, f"{file.href}: only files, http and https are read")
    found = (mets.parent / unquote(urlsplit(file.href).path).lstrip("/" if scheme == "" else "")).resolve()
    if not found.is_relative_to(mets.parent.resolve()):
        raise PageError(mets, f"{file.href} leads out of the folder of the METS file")
    if not found.is_file():
        raise PageError(found, "named by the METS file, but not there")
    return found


def _side_by_side(scan: Path, words: Path | None, folder: Path, number: int) -> Path:
    if words is None or any(one.resolve() == words for one in segmentation_candidates(scan)):
        return scan
    image = folder / f"{number:04d}{scan.suffix.lower()}"
    for source, target in ((scan, image), (words, image.with_suffix(".xml"))):
        folder.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        try:
            target.symlink_to(source)
        except OSError:  # Windows without the right to make links
            shutil.copyfile(source, target)
    return image
