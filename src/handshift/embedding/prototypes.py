"""Prototypes: a set of word vectors aggregated to one, by the mean or by attention.

>>> import numpy as np
>>> from handshift.embedding.prototypes import Aggregation, prototypes
>>> words = np.eye(4, dtype=np.float32)[[0, 0, 0, 1]]  # three that agree, one outlier
>>> prototypes([words], Aggregation.ATTENTION).means[0, 1] < prototypes([words]).means[0, 1]
np.True_
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

_SHARPNESS = 2.0
"""Inverse temperature: a word of cosine 1 to the rest weighs e² times one of cosine 0."""


class Aggregation(StrEnum):
    """How the words of a set are weighted."""

    MEAN = "mean"
    """Uniform."""
    ATTENTION = "attention"
    """By mean cosine to the rest, which down-weights blots and foreign words."""


@dataclass(frozen=True, slots=True)
class Prototypes:
    """Aggregated vectors, one row for each set of words."""

    means: NDArray[np.float64]
    """(sets, dimensions), weighted means of the words' vectors, not normalised."""
    counts: NDArray[np.float64]
    """(sets,) effective number of words, 1 / Σ weight²."""

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Prototypes:
        return Prototypes(self.means[rows], self.counts[rows])


def prototypes(sets: Sequence[NDArray[np.floating]], how: Aggregation = Aggregation.MEAN) -> Prototypes:
    """Aggregate each set.

    Args:
        sets: Each (words, dimensions) with row lengths of at most 1; not empty.
        how: Uniform or attention weights.

    Returns:
        Means and effective numbers of words.

    Raises:
        ValueError: A set has no words.
    """
    means, counts = [], []
    for vectors in sets:
        weights = word_weights(vectors, how)
        means.append(weights @ vectors.astype(np.float64))
        counts.append(1.0 / np.square(weights).sum())
    return Prototypes(np.array(means), np.array(counts))


def word_weights(vectors: NDArray[np.floating], how: Aggregation) -> NDArray[np.float64]:
    """Compute the weights of a set's words, which sum to 1.

    Attention is softmax(2 · mean cosine of a word with the other words).

    Args:
        vectors: (words, dimensions).
        how: Uniform or attention weights.

    Returns:
        (words,).

    Raises:
        ValueError: There are no words.
    """
    count = len(vectors)
    if count == 0:
        raise ValueError("a set without words has no prototype")
    if how is Aggregation.MEAN or count == 1:
        return np.full(count, 1.0 / count)
    total = vectors.sum(axis=0, dtype=np.float64)
    own = np.square(vectors).sum(axis=1, dtype=np.float64)
    agreement = (vectors @ total - own) / (count - 1)
    weights = np.exp(_SHARPNESS * (agreement - agreement.max()))
    return np.asarray(weights / weights.sum())
