"""The scope guard: whether a page lies inside what the model was validated on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope import Scope, ScopeReason
from handshift.demo import SHA256 as DEMO_PAGES
from handshift.page.print_detection import PRINTED, share_of_twins
from handshift.page.word import Page, Word


@dataclass(frozen=True, slots=True)
class ScopeGuard:
    """Judges pages by what can be measured of them."""

    force: bool = False
    """Whether raw ratios are stated outside of the scope as well, marked as such."""

    def judge(self, page: Page, words: Sequence[Word], vectors: NDArray[np.float32]) -> Scope:
        """Judge one page.

        Args:
            page: The page.
            words: Its words that are compared.
            vectors: (words, dimensions) their vectors.
        """
        if page.sha256 in DEMO_PAGES:
            return Scope((ScopeReason("synthetic", 1.0),))
        return Scope(tuple(self._reasons(page, words, vectors)), self.force)

    def _reasons(
        self, page: Page, words: Sequence[Word], vectors: NDArray[np.float32]
    ) -> Iterator[ScopeReason]:
        twins = share_of_twins(words, page.letter_size)
        if twins > PRINTED:
            yield ScopeReason("printed", 0.0, {"share": round(twins, 3)})
