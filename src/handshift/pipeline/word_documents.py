"""Documents that come as word pictures: found in folders, laid out on a sheet, and embedded word by word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope import DRAWN, INSIDE
from handshift.core.errors import CorpusError, PageError
from handshift.corpus.layouts import WORD_TABLE, read_word_folders
from handshift.embedding.crops.file_contents import FileContents, all_ink, image_crops
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.embedder import Embedder
from handshift.page.decode_worker import isolated_pages
from handshift.page.find_scans import FoundScans, find_scans
from handshift.page.word import Box, Page, Word
from handshift.pipeline.embed_page import EmbeddedPage, page_warnings, require_at_most
from handshift.pipeline.read_pages import attempt

Result = TypeVar("Result")

_SHEET, _GAP = 1240, 24
"""Width of the sheet that words are shown on, and the space between them, in pixels."""
_TALLEST = 160
"""Pixels of a word's height on the sheet; a finer picture is shrunk, for the sheet alone."""


@dataclass(frozen=True, slots=True)
class WordDocument:
    """Pictures of single words that form one document, in reading order."""

    source: Path
    """The folder; of a page in a table of words, the table's folder and the page's name."""
    pictures: tuple[Path, ...]
    texts: tuple[str | None, ...]


def find_word_documents(paths: Iterable[Path | str]) -> FoundScans:
    """Expand paths into folders that hold documents of word pictures; files are errors."""
    found = FoundScans()
    for path in map(Path, paths):
        if path.is_dir() and (path / WORD_TABLE).is_file():
            found.scans.append(path)
        elif path.is_dir():
            below = find_scans([path])
            found.errors += below.errors
            found.scans += sorted({scan.parent for scan in below.scans})
        elif path.exists():
            found.errors.append(PageError(path, "give the folder that holds the document's word pictures"))
        else:
            found.errors.append(PageError(path, "no such folder; check the spelling"))
    return found


def documents_of(folder: Path) -> list[WordDocument]:
    """The documents of one folder.

    Args:
        folder: With naver_ocr.csv each of its pages is a document, in the table's order of words; otherwise
            the pictures of the folder are one document, in the order of their names (word 2 before word 10).

    Raises:
        PageError: The table is wrong.
    """
    if not (folder / WORD_TABLE).is_file():
        pictures = tuple(scan for scan in find_scans([folder]).scans if scan.parent == folder)
        return [WordDocument(folder, pictures, (None,) * len(pictures))]
    try:
        samples = read_word_folders(folder).samples
    except CorpusError as error:
        raise PageError(folder, str(error)) from error
    pages: dict[str, list[tuple[Path, str | None]]] = {}
    for sample in samples:
        pages.setdefault(str(sample.page), []).append((sample.path, sample.text))
    return [
        WordDocument(folder / name, tuple(path for path, _ in words), tuple(text for _, text in words))
        for name, words in pages.items()
    ]


def document_in(folder: Path, number: int = 1) -> WordDocument:
    """One document of a folder, counted from 1.

    Raises:
        PageError: The folder is not there, holds no pictures, or fewer documents.
    """
    if not folder.is_dir():
        raise PageError(folder, "give the folder that holds the document's word pictures")
    documents = documents_of(folder)
    if not 1 <= number <= len(documents):
        raise PageError(folder, f"has {len(documents)} documents of word pictures, none numbered {number}")
    return documents[number - 1]


def process_documents(
    folder: Path, work: Callable[[WordDocument], Result], first: int = 0
) -> Iterator[Result | PageError]:
    """Apply `work` to every document of one folder; an exception becomes the `PageError` of its document.

    Args:
        folder: See `documents_of`.
        work: Called with each document.
        first: The document to start with, from 0.

    Yields:
        What `work` returned, or a `PageError`.
    """
    try:
        documents = documents_of(folder)
    except PageError as error:
        yield error
        return
    for document in documents[first:]:
        yield attempt(partial(work, document), document.source)


def embed_word_document(embedder: Embedder, document: WordDocument, most: int | None = None) -> EmbeddedPage:
    """Embed a document's words as training read them, each scaled by its own letters.

    Args:
        embedder: The word network.
        document: The pictures.
        most: Words at most, if they are to be compared with each other.

    Returns:
        The words on a sheet in reading order, with their vectors. Pictures without a word are skipped and
        named in the warnings.

    Raises:
        PageError: There are more words than ``most``.
    """
    pieces: list[_Piece] = []
    crops, skipped = [], []
    digest = hashlib.sha256()
    synthetic = True
    for path, text in zip(document.pictures, document.texts, strict=True):
        for scan in isolated_pages(path):
            if isinstance(scan, PageError):
                skipped.append(f"{path.name} was skipped: {scan.problem}")
                continue
            digest.update(scan.sha256.encode())
            synthetic &= scan.synthetic
            word, crop = all_ink(scan.image), image_crops(scan.image, FileContents.WORD, embedder.scaling)
            if word is None or not len(crop):
                skipped.append(f"{path.name} was skipped: no ink")
                continue
            crops.append(crop)
            pieces.append(_Piece(_region(scan.image, word.box), word.ink, text))
    require_at_most(most, len(pieces), document.source)
    page = _sheet(document, pieces, digest.hexdigest())
    vectors = embedder.embed_crops(np.concatenate([np.zeros((0, HEIGHT, WIDTH), np.uint8), *crops]))
    warnings = (*skipped, *(page_warnings(page) if pieces else ()))
    scope = DRAWN if pieces and synthetic else INSIDE
    return EmbeddedPage(page, np.ones(len(pieces), bool), vectors, warnings, scope)


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word cut out of its picture."""

    image: NDArray[np.uint8]
    ink: NDArray[np.uint8]
    text: str | None

    def shrunk(self) -> _Piece:
        factor = min(1.0, _TALLEST / self.image.shape[0], (_SHEET - 2 * _GAP) / self.image.shape[1])
        if factor == 1:
            return self
        size = tuple(max(1, round(side * factor)) for side in self.image.shape[1::-1])
        image, ink = (cv2.resize(one, size, interpolation=cv2.INTER_AREA) for one in (self.image, self.ink))
        return _Piece(image.astype(np.uint8), ink.astype(np.uint8), self.text)


def _region(image: NDArray[np.uint8], box: Box) -> NDArray[np.uint8]:
    return image[box.y : box.y + box.height, box.x : box.x + box.width]


def _sheet(document: WordDocument, pieces: Sequence[_Piece], sha256: str) -> Page:
    """Lay the words out in lines, left to right."""
    pieces = [piece.shrunk() for piece in pieces]
    boxes: list[tuple[Box, int]] = []
    x, y, line, tallest = _GAP, _GAP, 0, 0
    for piece in pieces:
        height, width = piece.image.shape[:2]
        if x + width + _GAP > _SHEET and x > _GAP:
            x, y, line, tallest = _GAP, y + tallest + _GAP, line + 1, 0
        boxes.append((Box(x, y, width, height), line))
        x, tallest = x + width + _GAP, max(tallest, height)
    image = np.full((y + tallest + _GAP, _SHEET, 3), 255, np.uint8)
    for piece, (box, _) in zip(pieces, boxes, strict=True):
        _region(image, box)[:] = piece.image
    words = tuple(
        Word(box, line, piece.ink, piece.text) for piece, (box, line) in zip(pieces, boxes, strict=True)
    )
    # Half of a word's height, as where a short word has too little ink to measure its letters.
    letters = float(np.median([box.height for box, _ in boxes])) / 2 if boxes else 0.0
    return Page(image, words, document.source, sha256, letter_size=letters, sheet_width=_SHEET)
