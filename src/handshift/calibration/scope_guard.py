"""The scope guard: whether a page lies inside what the model was validated on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope import DRAWN, Scope, ScopeReason
from handshift.calibration.scope_fit import FEWEST, ScopeFit
from handshift.detect.plda import Plda
from handshift.page.components import stroke_width
from handshift.page.print_detection import INK as _INK
from handshift.page.print_detection import PRINTED, share_of_twins
from handshift.page.stroke_geometry import stroke_geometry
from handshift.page.word import Page, Word
from handshift.page.word_kind import WordKind

MOST = 300
"""Beyond this number of words, and below `FEWEST`, a ratio is shrunk in proportion. The shortest pages of the
calibration have 14 words. The longest have 79: 300 is not measured, it keeps full pages of small writing
inside; `examine` divides long pages into stretches instead."""
_SMALLEST_LETTERS = 8.0
"""Pixels of small letters in the scan; at 150 dpi an average hand has 17, at 100 dpi 12. Not measured."""
_IMPLAUSIBLE = 0.25
"""Share of marks too tall for a word from which on segmentation is not trusted. Not measured."""
_WRITTEN, _LARGE, _LARGE_OF_FEW = 0.6, 15.0, 12.5
"""Share of a page's ink in words below which, and letter size in stroke widths beyond which, it is a drawing;
the last of pages with few words. Pages by validation writers have 0.83 and more, wills with lines drawn round
their text 0.70, and letters of 11.2 at most; with 12.5 for all, 2 of 31 pages by test writers with fine pens
were refused. Of 100 drawings 99 are refused."""

OF_LENGTH = ("few-words", "many-words")
"""Reasons that hold of a page as a whole, not of the entries of a list."""


@dataclass(frozen=True, slots=True)
class ScopeGuard:
    """Judges pages by what can be measured of them."""

    fit: ScopeFit | None = None
    """What the pages of the population are like; None where the model was not fitted."""
    plda: Plda | None = None
    force: bool = False
    """Whether raw ratios are stated outside of the scope as well, marked as such."""

    def judge(self, page: Page, words: Sequence[Word], vectors: NDArray[np.float32]) -> Scope:
        """Judge one page.

        Args:
            page: The page.
            words: Its words that are compared.
            vectors: (words, dimensions) their vectors.
        """
        if page.synthetic:
            return DRAWN
        reasons = (*_of_marks(page, words), *self._of_fit(page, vectors), *_of_length(len(words)))
        return Scope(reasons, self.force)

    def _of_fit(self, page: Page, vectors: NDArray[np.float32]) -> Iterator[ScopeReason]:
        """Script and typicality."""
        if self.fit is None or self.plda is None:
            return
        doubts = self.fit.doubts(vectors, self.plda, stroke_geometry(page.words, page.letter_size))
        if "script" in doubts:
            yield ScopeReason("script", 0.0)
        if "atypical" in doubts:
            yield ScopeReason("atypical", 0.0, {"share": round(doubts["atypical"], 4)})


def _of_marks(page: Page, words: Sequence[Word]) -> Iterator[ScopeReason]:
    """Print, segmentation and resolution."""
    twins = share_of_twins(words, page.letter_size)
    if twins > PRINTED:
        yield ScopeReason("printed", 0.0, {"share": round(twins, 3)})
    # Frames, which have no ink of their own, and the pieces of rules are no faults of segmentation.
    tall = sum(
        word.kind is WordKind.DRAWING and min(word.ink.shape) > page.letter_size for word in page.words
    )
    if tall > _IMPLAUSIBLE * len(page.words):
        yield ScopeReason("segmentation", 0.0, {"share": round(tall / len(page.words), 3)})
    share, height = _likeness_to_words(page.words, page.letter_size)
    if share < _WRITTEN or height > (_LARGE if len(words) >= FEWEST else _LARGE_OF_FEW):
        yield ScopeReason("drawn", 0.0, {"share": round(share, 3), "height": round(height, 1)})
    pixels = page.letter_size * page.image.shape[1] / max(1, page.sheet_width)
    if pixels < _SMALLEST_LETTERS:
        yield ScopeReason(
            "resolution", round(max(0.0, pixels / _SMALLEST_LETTERS), 3), {"pixels": round(pixels, 1)}
        )


def _likeness_to_words(words: Sequence[Word], size: float) -> tuple[float, float]:
    """Share of a page's ink that is in words, and the size of their letters in stroke widths.

    Crossed-out words count as no words: the lines of a sketch pass for them. Print and stamps do not count.
    """
    ink = {WordKind.WRITING: 0, WordKind.STRUCK_OUT: 0, WordKind.DRAWING: 0}
    widths = []
    for word in words:
        if word.kind in ink:
            mask = (word.ink > _INK).astype(np.uint8)
            ink[word.kind] += int(mask.sum())
            if word.kind is WordKind.WRITING:
                widths.append(stroke_width(mask))
    share = ink[WordKind.WRITING] / max(1, sum(ink.values()))
    return share, size / max(1.0, float(np.median(widths))) if widths else 0.0


def _of_length(words: int) -> Iterator[ScopeReason]:
    """Fewer or more words than pages that were validated had: shrunk in proportion."""
    if words < FEWEST:
        yield ScopeReason("few-words", round(words / FEWEST, 3), {"words": words, "least": FEWEST})
    if words > MOST:
        yield ScopeReason("many-words", round(MOST / words, 3), {"words": words, "most": MOST})
