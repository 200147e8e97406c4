"""What every detector takes and gives, whatever happens inside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Vectors


@dataclass(frozen=True, slots=True)
class BagScore:
    """A bag's score and where it comes from."""

    score: float
    """The higher, the more a second hand is to be reckoned with. Only its order counts until calibrated."""
    contribution: NDArray[np.float64]
    """(words,) each word's part in the score: not negative, summing to 1."""


class Detector(Protocol):
    """Words of one bag in reading order in, score and contributions out; one word is enough, 500 are fine."""

    @property
    def order_aware(self) -> bool:
        """Whether the order of the words matters. Reading backwards never does."""

    def score(self, words: Vectors) -> BagScore:
        """Score (words, dimensions)."""


def shares(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Weights of zero or more as parts of a whole; even parts where all are zero."""
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else np.full(len(weights), 1 / len(weights)), np.float64)
