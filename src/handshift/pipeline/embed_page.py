"""A page's legible words and their vectors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from handshift.embedding.embedder import Embedder
from handshift.page.pens import pen_change
from handshift.page.print_detection import looks_printed
from handshift.page.word import Page, Word

PRINTED_PAGE = "the page looks printed; the figures hold for handwriting only"


@dataclass(frozen=True, slots=True)
class EmbeddedPage:
    """A page, which of its words are legible, and the vectors of those."""

    page: Page
    legible: NDArray[np.bool_] = field(repr=False)
    """(words,) whether a word is large and whole enough to be compared."""
    vectors: NDArray[np.float32] = field(repr=False)
    """(legible words, dimensions) as the network gives them; row length weights the word."""
    warnings: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[Word, ...]:
        """The legible words in reading order."""
        return tuple(word for word, legible in zip(self.page.words, self.legible, strict=True) if legible)

    @property
    def nearest_legible(self) -> NDArray[np.intp]:
        """(words,) row of the legible word that each word takes its finding from.

        A legible word is its own; an illegible mark goes with the legible word before it, and marks before
        the first legible word go with that first one.
        """
        return np.asarray(np.maximum(np.cumsum(self.legible) - 1, 0))


def embed_page(embedder: Embedder, page: Page) -> EmbeddedPage:
    """Embed the legible words of a page.

    Args:
        embedder: The word network.
        page: A page whose words are known.

    Returns:
        The page with its vectors; none where no word is legible.
    """
    legible = embedder.scaling.legible(page)
    words = [word for word, readable in zip(page.words, legible, strict=True) if readable]
    if not words:
        return EmbeddedPage(page, legible, np.zeros((0, embedder.dimensions), np.float32))
    vectors = embedder.embed(words, page)
    return EmbeddedPage(page, legible, vectors, _warnings(page))


def _warnings(page: Page) -> tuple[str, ...]:
    printed = (PRINTED_PAGE,) if looks_printed(page.words, page.letter_size) else ()
    change = pen_change(page.image, page.words)
    return (*printed, change.sentence()) if change else printed
