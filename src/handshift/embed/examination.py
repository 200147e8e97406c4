"""Writers kept apart from training, and how well any vectors tell their words apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handshift.embed.collection import WordCollection
from handshift.embed.verification import Pairs, balanced_pairs, similarities, verification_figures
from handshift.error import HandshiftError

_PAIRS = 4000


@dataclass(frozen=True)
class Examination:
    """Balanced pairs of different pages, the same for every network that is examined."""

    words: WordCollection
    pairs: Pairs

    @classmethod
    def of(cls, words: WordCollection, writers: Sequence[str]) -> Examination:
        """Pairs of these writers' words."""
        try:
            return cls(words, balanced_pairs(words, writers, count=_PAIRS, seed=1))
        except ValueError as error:
            raise HandshiftError(f"the split's validation writers do not suffice: {error}") from error

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Sorted rows of the words asked about."""
        return np.unique(self.pairs.rows)

    @property
    def crops(self) -> NDArray[np.uint8]:
        """Their pictures."""
        return self.words.crops[self.rows]

    def figures(self, vectors: NDArray[np.float32]) -> dict[str, float]:
        """AUC and EER of the vectors of `crops`, unit rows."""
        at = np.searchsorted(self.rows, self.pairs.rows)  # (pairs, 2)
        return verification_figures(similarities(vectors, at), self.pairs.same)
