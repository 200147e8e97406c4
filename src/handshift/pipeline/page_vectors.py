"""Files become word vectors: pages with their words, or pictures of whatever the network was trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import PageError
from handshift.embedding.crops.file_contents import FileContents, file_crops
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH, is_legible, pen_scale
from handshift.embedding.embedder import Embedder, unit_rows
from handshift.page.find_scans import find_scans
from handshift.page.print_detection import looks_printed
from handshift.page.scan import read_scans
from handshift.page.sidecar import given_segmentation
from handshift.page.word import Box, Page, Word
from handshift.pipeline.examiner import PRINTED_PAGE, page_of

Paths = Path | str | Iterable[Path | str]


@dataclass(frozen=True, slots=True)
class Origin:
    """A page or picture that words were taken from."""

    source: Path
    sha256: str
    """Of the whole file."""
    number: int
    """Page within a PDF or multi-page TIFF, from 0."""
    words: int


@dataclass(frozen=True, slots=True)
class Embedded:
    """Words and, row for row, their vectors, in reading order."""

    weighed: NDArray[np.float32] = field(repr=False)
    """(words, dimensions) as the network gives them: the longer a row, the more the word has to say."""
    words: tuple[Word, ...] = field(repr=False)
    """The legible ones; of a word or picture that is a file of its own, the canvas the network reads."""
    origins: tuple[Origin, ...]
    warnings: tuple[str, ...] = ()

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(words, dimensions), unit rows: for comparing words by cosine."""
        return unit_rows(self.weighed)


def embed_files(embedder: Embedder, paths: Paths, cut: FileContents = FileContents.PAGE) -> Embedded:
    """Everything the paths lead to, taken together: files, and folders with all below.

    A `PageError` tells of a path that leads nowhere, and of files without a single legible word.
    """
    asked = [paths] if isinstance(paths, Path | str) else list(paths)
    found = find_scans(asked)
    if found.errors:
        raise found.errors[0]
    if not found.scans:
        raise ValueError("no paths given")
    parts = [
        _page_words(embedder, path) if cut is FileContents.PAGE else _picture(embedder, path, cut)
        for path in found.scans
    ]
    if not any(len(part.words) for part in parts):
        raise PageError(
            Path(asked[0]), "found no legible word; is it a page of handwriting, upright and in focus?"
        )
    return Embedded(
        np.concatenate([part.weighed for part in parts]),
        tuple(word for part in parts for word in part.words),
        tuple(origin for part in parts for origin in part.origins),
        tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
    )


def pages_of_file(path: Path | str) -> Iterable[Page]:
    """The pages of one file with all their words; a segmentation that lies beside it is used."""
    for scan in read_scans(path):
        yield page_of(scan, given_segmentation(scan.source, scan.number))


def _page_words(embedder: Embedder, path: Path) -> Embedded:
    vectors = [np.zeros((0, embedder.dimensions), np.float32)]
    words: list[Word] = []
    origins, warnings = [], []
    for page in pages_of_file(path):
        legible = [word for word in page.words if is_legible(word, page.letter_size)]
        origins.append(Origin(path, page.sha256, page.number, len(legible)))
        if not legible:
            continue
        vectors.append(embedder.embed(legible, pen_scale(page)))
        words += legible
        if looks_printed(page.words, page.letter_size):
            warnings.append(f"{path}: {PRINTED_PAGE}")
    return Embedded(np.concatenate(vectors), tuple(words), tuple(origins), tuple(warnings))


def _picture(embedder: Embedder, path: Path, cut: FileContents) -> Embedded:
    crops = file_crops(path, cut)
    words = tuple(Word(Box(0, 0, WIDTH, HEIGHT), 0, crop) for crop in crops)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Embedded(embedder.embed_crops(crops), words, (Origin(path, sha256, 0, len(words)),))
