"""A set of word vectors becomes one: what its words have in common, and how much they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

_FOCUS = 2.0
"""How much an agreeing word outweighs one that stands across: e² between cosines 1 and 0."""


class Aggregation(StrEnum):
    """How the words of a set are weighed against each other."""

    MEAN = "mean"
    """All alike."""
    ATTENTION = "attention"
    """By how well each agrees with the rest: a blot or a foreign word counts for little."""


@dataclass(frozen=True, slots=True)
class Prototypes:
    """One row for each set of words."""

    means: NDArray[np.float64]
    """(sets, dimensions), weighted means of the words' vectors, not brought to unit length."""
    counts: NDArray[np.float64]
    """(sets,) words that an equally weighted mean would need to be as certain: 1 / Σ weight²."""

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Prototypes:
        return Prototypes(self.means[rows], self.counts[rows])


def prototypes(sets: Sequence[NDArray[np.floating]], how: Aggregation = Aggregation.MEAN) -> Prototypes:
    """Aggregate each set; (words, dimensions) with rows of length at most 1, none of them empty."""
    means, counts = [], []
    for vectors in sets:
        weights = word_weights(vectors, how)
        means.append(weights @ vectors.astype(np.float64))
        counts.append(1.0 / np.square(weights).sum())
    return Prototypes(np.array(means), np.array(counts))


def word_weights(vectors: NDArray[np.floating], how: Aggregation) -> NDArray[np.float64]:
    """(words,) that sum to 1; attention is softmax(2 · mean cosine of a word with the other words)."""
    count = len(vectors)
    if count == 0:
        raise ValueError("a set without words has no prototype")
    if how is Aggregation.MEAN or count == 1:
        return np.full(count, 1.0 / count)
    total = vectors.sum(axis=0, dtype=np.float64)
    own = np.square(vectors).sum(axis=1, dtype=np.float64)
    agreement = (vectors @ total - own) / (count - 1)
    raised = np.exp(_FOCUS * (agreement - agreement.max()))
    return np.asarray(raised / raised.sum())
