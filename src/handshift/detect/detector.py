"""The detector protocol, and its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Vectors


@dataclass(frozen=True, slots=True)
class BagScore:
    """A bag's score and the contribution of each word."""

    score: float
    """Grows with the evidence for a second hand; only its order has meaning before calibration."""
    contribution: NDArray[np.float64]
    """(words,) non-negative, summing to 1."""


class Detector(Protocol):
    """Scores the words of one bag in reading order, from one word to several hundred."""

    @property
    def order_aware(self) -> bool:
        """Whether the score depends on the order of words; it is invariant under reversal."""

    def score(self, words: Vectors) -> BagScore:
        """Score (words, dimensions)."""


def shares(weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Non-negative weights normalised to sum 1; uniform where all are zero."""
    total = weights.sum()
    return np.asarray(weights / total if total > 0 else np.full(len(weights), 1 / len(weights)), np.float64)
