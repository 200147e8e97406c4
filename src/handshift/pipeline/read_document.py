"""Reads words of a document's hands, so that equal ones can be laid over each other."""

from __future__ import annotations

from dataclasses import replace

from handshift.attribution.document import Document, HandedPage
from handshift.page.ocr import Reader
from handshift.page.restore_pixels import with_pixels


def with_texts(document: Document, reader: Reader) -> Document:
    """The document with the text of the words on the pages that show most of each hand.

    A page takes seconds to read and a document may have hundreds, so others are not read; with one hand there
    is nothing to compare. Texts that are known stay.
    """
    wanted = set(document.telling_pages()) if len(document.hands) > 1 else set[int]()
    pages = [_read(page, reader) if place in wanted else page for place, page in enumerate(document.pages)]
    return replace(document, pages=tuple(pages))


def _read(handed: HandedPage, reader: Reader) -> HandedPage:
    read = reader.read(with_pixels(handed.page))
    words = tuple(
        replace(word, text=said.text) for word, said in zip(handed.page.words, read.words, strict=True)
    )
    return replace(handed, page=replace(handed.page, words=words))
