"""The length that the mean of a set of word vectors should have, given how many words there are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.embedding.prototypes import Prototypes


@dataclass(frozen=True, slots=True)
class MeanLength:
    """‖mean of n words‖² is common + single/n in expectation.

    A word broken into letters, a faint or a tiny one has a short row. A page of many such words has a short
    mean, near that of everybody, and is then like every other page: copiste's pages with half as many words
    again as were written were in most of the pairs that were joined wrongly. So lengths are made alike before
    means are compared, and the direction decides.
    """

    common: float
    """Squared length of the mean of endless words of one page."""
    single: float
    """Squared distance of a word from it."""

    @classmethod
    def fit(cls, pages: Sequence[NDArray[np.floating]]) -> MeanLength:
        """By moments, every page alike.

        Args:
            pages: Each (words, dimensions); of two words and more.
        """
        found = []
        for vectors in pages:
            words = vectors.astype(np.float64)
            single = float(words.var(axis=0, ddof=1).sum())
            found.append((float(np.square(words.mean(axis=0)).sum()) - single / len(words), single))
        common, single = np.mean(found, axis=0)
        return cls(max(float(common), 0.0), float(single))

    def normalised(self, sets: Prototypes) -> Prototypes:
        """The sets with means of the length expected of so many words; a mean of no length stays."""
        length = np.linalg.norm(sets.means, axis=1)
        wanted = np.sqrt(self.common + self.single / sets.counts)
        factor = np.divide(wanted, length, out=np.ones_like(length), where=length > 0)
        return Prototypes(sets.means * factor[:, None], sets.counts)
