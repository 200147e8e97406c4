"""handshift finds the words in a handwritten page that another hand wrote."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from handshift.attribution.comparison import Comparison
    from handshift.attribution.document import Document
    from handshift.attribution.identification import Identification
    from handshift.attribution.verdict import Verdict
    from handshift.page.word import Word
    from handshift.pipeline.page_vectors import Embedded, Paths

__version__ = "0.1.0"
__all__ = ["__version__", "embed", "enroll", "examine", "hands", "identify", "verify", "words"]

Contents = Literal["page", "word", "picture"]
"""What one file holds: a page of words, one word, or any picture taken whole."""


def examine(path: Path | str, *, model: str | None = None) -> Verdict:
    """Examine the first page of a scan with the shipped model, or with another."""
    from handshift.pipeline.examiner import Examiner

    return next(Examiner(model).examine(path))


def hands(paths: Paths, *, model: str | None = None) -> Document:
    """Tell the hands of a document apart: how many, which words, and where one takes over from another."""
    from handshift.pipeline.hand_finder import HandFinder

    return HandFinder(model).hands(paths)


def words(path: Path | str) -> tuple[Word, ...]:
    """Every word of a file in reading order, legible or not; page after page where it has several."""
    from handshift.pipeline.page_vectors import pages_of_file

    return tuple(word for page in pages_of_file(path) for word in page.words)


def embed(paths: Paths, *, model: str | None = None, cut: Contents = "page") -> Embedded:
    """The legible words of everything the paths lead to, and their vectors: float32, N×D, unit rows."""
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.models.shipped_models import find_model
    from handshift.pipeline.page_vectors import embed_files

    return embed_files(find_model(model).embedder(threads=2), paths, FileContents(cut))


def verify(a: Paths, b: Paths, *, model: str | None = None, cut: Contents = "page") -> Comparison:
    """Weigh whether one person wrote both `a` and `b`: a page, a folder or several, each as one person's."""
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.comparer import Comparer

    return Comparer(model).verify(a, b, FileContents(cut))


def enroll(
    name: str, pages: Paths, gallery: Path | str, *, model: str | None = None, cut: Contents = "page"
) -> int:
    """Add pages to what a gallery knows of `name`; returns how many were new to it."""
    from handshift.embedding.crops.file_contents import FileContents
    from handshift.pipeline.comparer import Comparer
    from handshift.pipeline.identifier import enroll as add

    return add(Comparer(model), {name: pages}, Path(gallery), FileContents(cut))[1]


def identify(page: Paths, gallery: Path | str, *, model: str | None = None) -> Identification:
    """Rank the people in a gallery by how well their hands explain a page; iterates best first."""
    from handshift.pipeline.identifier import Identifier

    return Identifier(gallery, model).identify(page)
