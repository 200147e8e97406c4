"""What a METS file lists: the image of every page in order, and the PAGE-XML or ALTO that belongs to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from handshift.core.errors import PageError
from handshift.page.safe_xml import children, descendants, local_name, numbers, parse_xml

_HREF = "{http://www.w3.org/1999/xlink}href"
_BEST_FIRST = ("MASTER", "MAX", "ORIGINAL", "OCR-D-IMG", "DEFAULT", "IMAGE", "PRESENTATION")
_SMALL = ("THUMB", "MIN", "TEASER")
_TEXT_TYPES = ("alto", "prima.page", "xml")


@dataclass(frozen=True, slots=True)
class MetsFile:
    """One file of the object: where it lies, and what it is."""

    id: str
    use: str
    kind: str
    href: str

    @property
    def is_image(self) -> bool:
        """Whether it is an image, and no thumbnail."""
        return self.kind.startswith("image/") and not any(name in self.use for name in _SMALL)

    @property
    def is_text(self) -> bool:
        """Whether it may be PAGE-XML or ALTO."""
        return any(name in self.kind for name in _TEXT_TYPES)

    @property
    def rank(self) -> int:
        """Place of its use among those of images, the best first."""
        return next((place for place, name in enumerate(_BEST_FIRST) if name in self.use), len(_BEST_FIRST))


MetsPage = tuple[MetsFile, MetsFile | None]
"""Image and text of a page."""


def read_mets(path: Path) -> list[MetsPage]:
    """The pages of a METS file in the order of its physical structure.

    Raises:
        PageError: The file is not METS, or lists no image.
    """
    root = parse_xml(path)
    if local_name(root) != "mets":
        raise PageError(path, "not a METS file")
    pages = list(_pages(root, {file.id: file for file in _files(root)}))
    if not pages:
        raise PageError(path, "the METS file lists no image; give the folder of images instead")
    return pages


def _files(root: Element) -> Iterator[MetsFile]:
    for group in descendants(root, "fileGrp"):
        use = (group.get("USE") or "").upper()
        for file in children(group, "file"):
            located = next(children(file, "FLocat"), None)
            if located is not None and (href := located.get(_HREF)):
                yield MetsFile(file.get("ID", ""), use, (file.get("MIMETYPE") or "").lower(), href)


def _pages(root: Element, files: dict[str, MetsFile]) -> Iterator[MetsPage]:
    """Best image and text of each page; without a physical structure, files are paired by place."""
    structures = [
        one for one in descendants(root, "structMap") if (one.get("TYPE") or "").upper() == "PHYSICAL"
    ]
    for structure in structures[:1]:
        divisions = [
            one for one in descendants(structure, "div") if next(children(one, "fptr"), None) is not None
        ]
        order = [
            next(iter(numbers(one.get("ORDER") or "")), float(place)) for place, one in enumerate(divisions)
        ]
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
    return MetsFile("", use, "image/", "").rank
