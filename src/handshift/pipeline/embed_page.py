"""A page's legible words and their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.added_words import FEWEST_ADDED
from handshift.calibration.scope import INSIDE, Scope
from handshift.calibration.scope_guard import ScopeGuard
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import PageError
from handshift.embedding.crops.writing_size import with_sizes, word_sizes
from handshift.embedding.embedder import Embedder
from handshift.page.pens import pen_change
from handshift.page.word import Page, Word
from handshift.page.word_kind import WordKind

MOST_WORDS = 3000
"""Words of a page at most: hands are sought in all runs of them, whose number grows with the square."""


@dataclass(frozen=True, slots=True)
class EmbeddedPage:
    """A page, which of its words are legible, and the vectors of those."""

    page: Page
    legible: NDArray[np.bool_] = field(repr=False)
    """(words,) whether a mark is writing, and large and whole enough to be compared."""
    vectors: NDArray[np.float32] = field(repr=False)
    """(legible words, dimensions) as the network gives them; row length weights the word."""
    warnings: tuple[str, ...] = ()
    scope: Scope = INSIDE
    sizes: Floats = field(default_factory=lambda: np.zeros(0), repr=False)
    """(legible words,) ln of each word's size in mm, NaN where the resolution is not known; or none."""

    @property
    def rows(self) -> Vectors:
        """(legible words, dimensions + 1) vectors and sizes, as they are compared."""
        return with_sizes(self.vectors, self.sizes if len(self.sizes) else np.nan)

    @property
    def words(self) -> tuple[Word, ...]:
        """The legible words in reading order."""
        return tuple(word for word, legible in zip(self.page.words, self.legible, strict=True) if legible)

    @property
    def lengths(self) -> Floats:
        """(legible words,) how long each is, in letter sizes: pieces of stamps are many and short."""
        return np.array([word.box.width / max(self.page.letter_size, 1.0) for word in self.words], np.float64)

    @property
    def added(self) -> NDArray[np.bool_]:
        """(legible words,) whether a word stands between the lines of the text or in its margin."""
        return np.array([word.added for word in self.words], bool)

    @property
    def nearest_legible(self) -> NDArray[np.intp]:
        """(words,) row of the legible word that each word takes its finding from, if it is writing.

        A legible word is its own; an illegible one goes with the legible word before it, and those before
        the first legible word go with that first one.
        """
        return np.asarray(np.maximum(np.cumsum(self.legible) - 1, 0))

    @property
    def writing(self) -> list[bool]:
        """Whether each mark of the page is writing; others have no hand."""
        return [word.kind is WordKind.WRITING for word in self.page.words]


def embed_page(
    embedder: Embedder,
    page: Page,
    guard: ScopeGuard | None = None,
    most: int | None = None,
    dpi: float | None = None,
) -> EmbeddedPage:
    """Embed the legible words of a page.

    Args:
        embedder: The word network.
        page: A page whose words are known.
        guard: Decides whether the page lies inside what the model was validated on.
        most: Words at most, if they are to be compared with each other.
        dpi: Resolution where the user states it; otherwise that of the file.

    Returns:
        The page with its vectors; none where no word is legible.

    Raises:
        PageError: There are more words than ``most``.
    """
    legible = embedder.scaling.legible(page)
    words = [word for word, readable in zip(page.words, legible, strict=True) if readable]
    if not words:
        return EmbeddedPage(page, legible, np.zeros((0, embedder.dimensions), np.float32))
    require_at_most(most, len(words), page.source)
    vectors = _vectors(embedder, words, page)
    scope = guard.judge(page, words, vectors) if guard else INSIDE
    sizes = word_sizes(words, dpi or page.dpi)
    return EmbeddedPage(page, legible, vectors, page_warnings(page), scope, sizes)


def _vectors(embedder: Embedder, words: Sequence[Word], page: Page) -> NDArray[np.float32]:
    """(words, dimensions); added ones are drawn at their own scale: anybody writes smaller there."""
    vectors = embedder.embed(words, page)
    added = [word for word in words if word.added]
    if FEWEST_ADDED <= len(added) < len(words):
        vectors[[word.added for word in words]] = embedder.embed(added, page)
    return vectors


def require_at_most(most: int | None, words: int, source: Path) -> None:
    """Refuse more words than can be compared at once, before any is embedded.

    Raises:
        PageError: There are more words than ``most``.
    """
    if most is not None and words > most:
        found = f"found {words:,} legible words; at most {most:,} are compared at once"
        raise PageError(source, f"{found}, so examine the page in parts")


def page_warnings(page: Page) -> tuple[str, ...]:
    """What a reader should know of the page's writing, such as a change of pen."""
    places = [
        place
        for place, word in enumerate(page.words)
        if word.kind is WordKind.WRITING and min(word.ink.shape) > 4  # dust has no stroke to measure
    ]
    change = pen_change(page.image, [page.words[place] for place in places])
    if change is None:
        return ()
    # The change names places among the words given, the reader's numbers are those on the page.
    return (replace(change, first=places[change.first], last=places[change.last]).sentence(),)
