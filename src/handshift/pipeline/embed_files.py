"""Files become word vectors: pages with their words, or pictures of whatever the network was trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope import INSIDE, Scope
from handshift.calibration.scope_guard import ScopeGuard
from handshift.core.errors import PageError
from handshift.embedding.crops.file_contents import FileContents, file_crops
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.embedder import Embedder, unit_rows
from handshift.page.word import Box, Page, Word
from handshift.pipeline.embed_page import EmbeddedPage, embed_page
from handshift.pipeline.read_pages import Paths, existing_scans, process_pages

NO_WORD = {
    FileContents.PAGE: "found no legible word; is it a page of handwriting, upright and in focus?",
    FileContents.WORD: "found no word; give pictures of at least 8 pixels with dark ink on light paper",
    FileContents.PICTURE: "found no picture of at least 8 pixels",
}


@dataclass(frozen=True, slots=True)
class Origin:
    """A page or picture that words were taken from."""

    source: Path
    sha256: str
    """Of the whole file."""
    number: int
    """Page within a PDF or multi-page TIFF, from 0."""
    words: int
    size: float | None = None
    """Mean ln of the words' sizes in mm; None where the resolution is not known."""


@dataclass(frozen=True, slots=True)
class Embedded:
    """Words and, row for row, their vectors, in reading order."""

    weighed: NDArray[np.float32] = field(repr=False)
    """(words, dimensions) as the network gives them; row length weights the word, rows are not normalised."""
    words: tuple[Word, ...] = field(repr=False)
    """The legible ones; of a word or picture that is a file of its own, the canvas the network reads."""
    origins: tuple[Origin, ...]
    warnings: tuple[str, ...] = ()
    scope: Scope = INSIDE
    """Of all pages together."""
    pages: bool = True
    """Whether an origin is a page; otherwise it is a picture of one word, and all belong to one set."""

    @property
    def sets(self) -> list[NDArray[np.float32]]:
        """Vectors of each page that has words, with its size beside them, or of all pictures together."""
        if not self.pages:
            return [self.weighed]
        ends = np.cumsum([origin.words for origin in self.origins])[:-1]
        return [
            with_sizes(page, np.nan if origin.size is None else origin.size)
            for origin, page in zip(self.origins, np.split(self.weighed, ends), strict=True)
            if len(page)
        ]

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(words, dimensions), unit rows: for comparing words by cosine."""
        return unit_rows(self.weighed)

    def __repr__(self) -> str:
        words, dimensions = self.weighed.shape
        return f"Embedded({words} words × {dimensions} dimensions from {len(self.origins)} pages)"


def embed_files(
    embedder: Embedder,
    paths: Paths,
    cut: FileContents = FileContents.PAGE,
    guard: ScopeGuard | None = None,
    dpi: float | None = None,
) -> Embedded:
    """Embed the words of everything the paths lead to, taken together.

    Args:
        embedder: The word network.
        paths: Files, and folders with everything below.
        cut: What one file holds.
        guard: Decides whether pages lie inside what the model was validated on; single words and pictures
            are not judged.
        dpi: Resolution of all pages where the user states it; otherwise that of each file.

    Raises:
        PageError: A path leads nowhere, a page cannot be read, or there is no legible word.
        HandshiftError: No path was given.
    """
    scans = existing_scans(paths)
    return joined_files([embed_file(embedder, path, cut, guard, dpi) for path in scans], scans[0], cut)


def embed_file(
    embedder: Embedder,
    path: Path,
    cut: FileContents = FileContents.PAGE,
    guard: ScopeGuard | None = None,
    dpi: float | None = None,
) -> Embedded:
    """Embed the words of one file, of which there may be none; arguments and errors as for `embed_files`."""
    if cut is not FileContents.PAGE:
        return _picture(embedder, path, cut)
    return concatenate_embedded(list(_pages(embedder, path, guard, dpi)))


def joined_files(parts: Sequence[Embedded], first: Path, cut: FileContents) -> Embedded:
    """Join the words of several files.

    Raises:
        PageError: None of them has a legible word; ``first`` names them.
    """
    if not any(len(part.words) for part in parts):
        raise PageError(first, NO_WORD[cut])
    return concatenate_embedded(parts)


def concatenate_embedded(parts: Sequence[Embedded]) -> Embedded:
    """Join the words of several pages, in their order."""
    return Embedded(
        np.concatenate([part.weighed for part in parts]),
        tuple(word for part in parts for word in part.words),
        tuple(origin for part in parts for origin in part.origins),
        tuple(dict.fromkeys(warning for part in parts for warning in part.warnings)),
        INSIDE.joined(*(part.scope for part in parts)),
        all(part.pages for part in parts),
    )


def embedded(page: EmbeddedPage) -> Embedded:
    """The words of one page, as words of a file."""
    source = page.page.source
    size = float(page.sizes.mean()) if np.isfinite(page.sizes).any() else None
    origin = Origin(source, page.page.sha256, page.page.number, len(page.words), size)
    warnings = tuple(f"{source}: {warning}" for warning in page.warnings)
    return Embedded(page.vectors, page.words, (origin,), warnings, page.scope)


def _pages(embedder: Embedder, path: Path, guard: ScopeGuard | None, dpi: float | None) -> Iterator[Embedded]:
    def embed(page: Page) -> Embedded:
        return embedded(embed_page(embedder, page, guard, dpi=dpi))

    for page in process_pages(path, embed):
        if isinstance(page, PageError):
            raise page
        yield page


def _picture(embedder: Embedder, path: Path, cut: FileContents) -> Embedded:
    try:
        crops, problem = file_crops(path, cut, embedder.scaling), "no ink"
    except PageError as error:
        crops, problem = np.zeros((0, HEIGHT, WIDTH), np.uint8), error.problem
    warnings = () if len(crops) else (f"{path}: skipped: {problem}",)
    words = tuple(Word(Box(0, 0, WIDTH, HEIGHT), 0, crop) for crop in crops)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    origin = Origin(path, sha256, 0, len(words))
    return Embedded(embedder.embed_crops(crops), words, (origin,), warnings, pages=False)
