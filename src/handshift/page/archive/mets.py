"""METS: the images of a digitised object in their order, with the PAGE-XML or ALTO that belongs to each."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from handshift.core.cache_folder import cache_folder
from handshift.core.errors import PageError
from handshift.page.archive.polite_fetch import PoliteFetcher
from handshift.page.safe_xml import children, descendants, local_name, parse_xml
from handshift.page.sidecar import segmentation_candidates

_HREF = "{http://www.w3.org/1999/xlink}href"
_BEST_FIRST = ("MASTER", "MAX", "ORIGINAL", "OCR-D-IMG", "DEFAULT", "IMAGE", "PRESENTATION")
_SMALL = ("THUMB", "MIN", "TEASER")
_TEXT_TYPES = ("alto", "prima.page", "xml")


@dataclass(frozen=True, slots=True)
class _File:
    id: str
    use: str
    kind: str
    href: str

    @property
    def is_image(self) -> bool:
        return self.kind.startswith("image/") and not any(name in self.use for name in _SMALL)

    @property
    def is_text(self) -> bool:
        return any(name in self.kind for name in _TEXT_TYPES)

    @property
    def rank(self) -> int:
        return next((place for place, name in enumerate(_BEST_FIRST) if name in self.use), len(_BEST_FIRST))


def is_mets(root: Element) -> bool:
    """Whether an XML file is METS."""
    return local_name(root) == "mets"


def mets_images(path: Path, fetcher: PoliteFetcher | None = None) -> Iterator[Path | PageError]:
    """Yield the image of every page in the order of the physical structure, or why there is none.

    A page whose XML does not lie where handshift looks for it is linked in the cache, image and XML side by
    side.

    Args:
        path: The METS file; its paths are relative to it.
        fetcher: Fetches images that are addresses.

    Raises:
        PageError: The file is not METS, or lists no image.
    """
    root = parse_xml(path)
    if not is_mets(root):
        raise PageError(path, "not a METS file")
    files = {file.id: file for file in _files(root)}
    pages = list(_pages(root, files))
    if not pages:
        raise PageError(path, "the METS file lists no image; give the folder of images instead")
    fetcher = fetcher or PoliteFetcher()
    folder = cache_folder("mets") / hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:16]
    for number, (image, text) in enumerate(pages, 1):
        try:
            scan = _located(image, path, folder, fetcher)
            words = _located(text, path, folder, fetcher) if text else None
            yield _side_by_side(scan, words, folder, number)
        except (PageError, OSError) as error:
            yield error if isinstance(error, PageError) else PageError(path, f"{image.href}: {error}")


def _files(root: Element) -> Iterator[_File]:
    for group in descendants(root, "fileGrp"):
        use = (group.get("USE") or "").upper()
        for file in children(group, "file"):
            located = next(children(file, "FLocat"), None)
            if located is not None and (href := located.get(_HREF)):
                yield _File(file.get("ID", ""), use, (file.get("MIMETYPE") or "").lower(), href)


def _pages(root: Element, files: dict[str, _File]) -> Iterator[tuple[_File, _File | None]]:
    """Best image and text of each page; without a physical structure, files are paired by place."""
    structures = [
        one for one in descendants(root, "structMap") if (one.get("TYPE") or "").upper() == "PHYSICAL"
    ]
    for structure in structures[:1]:
        divisions = [
            one for one in descendants(structure, "div") if next(children(one, "fptr"), None) is not None
        ]
        order = [float(one.get("ORDER") or place) for place, one in enumerate(divisions)]
        for _, division in sorted(zip(order, divisions, strict=True), key=lambda pair: pair[0]):
            listed = [
                files[one.get("FILEID", "")]
                for one in children(division, "fptr")
                if one.get("FILEID") in files
            ]
            images = sorted((one for one in listed if one.is_image), key=lambda one: one.rank)
            if images:
                yield images[0], next((one for one in listed if one.is_text), None)
    if not structures:
        uses = sorted({one.use for one in files.values() if one.is_image}, key=lambda use: _rank(use))
        images = [one for one in files.values() if one.is_image and one.use == uses[0]] if uses else []
        texts = [one for one in files.values() if one.is_text]
        for place, image in enumerate(images):
            yield image, texts[place] if len(texts) == len(images) else None


def _rank(use: str) -> int:
    return _File("", use, "image/", "").rank


def _located(file: _File, mets: Path, folder: Path, fetcher: PoliteFetcher) -> Path:
    scheme = urlsplit(file.href).scheme
    if scheme in ("http", "https"):
        suffix = Path(urlsplit(file.href).path).suffix or (".xml" if file.is_text else ".jpg")
        name = hashlib.sha256(file.href.encode()).hexdigest()[:16]
        return fetcher.fetch(file.href, folder / "fetched" / f"{name}{suffix}")
    if scheme not in ("", "file"):
        raise PageError(mets, f"{file.href}: only files, http and https are read")
    found = (mets.parent / unquote(urlsplit(file.href).path).lstrip("/" if scheme == "" else "")).resolve()
    if scheme == "" and not found.is_relative_to(mets.parent.resolve()):
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
