"""Unfitted baselines: mean cosine, window cosine, leave-one-out cosine, eigenvalue gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handshift.bag.windows import windows
from handshift.core.arrays import Vectors
from handshift.detect.detector import BagScore, Detector, shares


def units(words: Vectors) -> NDArray[np.float64]:
    """Rows scaled to length 1; zero rows stay zero."""
    words = np.asarray(words, np.float64)
    length = np.linalg.norm(words, axis=1, keepdims=True)
    return np.asarray(words / np.where(length > 0, length, 1.0))


@dataclass(frozen=True, slots=True)
class MeanCosine:
    """score = −mean_{i<j} cos(x_i, x_j); a word contributes 1 − its mean cosine to the others."""

    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> BagScore:
        """Score (words, dimensions); −1 for a single word."""
        n = len(words)
        if n < 2:
            return BagScore(-1.0, np.ones(n))
        x = units(words)
        to_others = ((x @ x.sum(axis=0)) - (x * x).sum(axis=1)) / (n - 1)  # (words,)
        return BagScore(float(-to_others.mean()), shares(np.maximum(1.0 - to_others, 0.0)))


WIDTH = 5


@dataclass(frozen=True, slots=True)
class WindowCosine:
    """score = −mean cosine of the means of all windows of five consecutive words.

    A window contributes 1 − its mean cosine to the others, in equal parts through its words.
    """

    order_aware: ClassVar[bool] = True

    def score(self, words: Vectors) -> BagScore:
        """Score (words, dimensions); −1 for a single window."""
        n = len(words)
        places = windows(n, WIDTH)  # (windows, width)
        if len(places) < 2:
            return BagScore(-1.0, np.full(n, 1 / n))
        x = units(units(words)[places].mean(axis=1))
        to_others = (x @ x.sum(axis=0) - 1) / (len(x) - 1)  # (windows,)
        distance = np.zeros(n)
        np.add.at(distance, places.ravel(), np.repeat(np.maximum(1 - to_others, 0.0), places.shape[1]))
        covering = np.bincount(places.ravel(), minlength=n)
        return BagScore(float(-to_others.mean()), shares(distance / covering))


@dataclass(frozen=True, slots=True)
class LeaveOneOutCosine:
    """score = −min_i cos(x_i, Σ_{j≠i} x_j); a word contributes 1 − its cosine to the rest."""

    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> BagScore:
        """Score (words, dimensions); −1 for a single word."""
        if len(words) < 2:
            return BagScore(-1.0, np.ones(len(words)))
        x = units(words)
        to_rest = (x * units(x.sum(axis=0) - x)).sum(axis=1)  # (words,)
        return BagScore(float(-to_rest.min()), shares(np.maximum(1.0 - to_rest, 0.0)))


@dataclass(frozen=True, slots=True)
class EigenvalueGap:
    """score = max_k (λ_k − λ_{k+1}) of the similarity matrix, centred in rows and columns, over n.

    For one hand the eigenvalues decrease smoothly; two hands differ along one direction, whose eigenvalue is
    large. A word contributes the square of its entry in the eigenvector at the gap.
    """

    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> BagScore:
        """Score (words, dimensions)."""
        n = len(words)
        if n < 2:
            return BagScore(0.0, np.ones(n))
        x = units(words)
        x = x - x.mean(axis=0)
        values, vectors = np.linalg.eigh(x @ x.T / n)  # ascending
        gaps = np.diff(values)
        at = int(np.argmax(gaps)) + 1  # the eigenvalue above the largest gap
        return BagScore(float(max(gaps.max(), 0.0)), shares(np.square(vectors[:, at])))


BASELINES: dict[str, Detector] = {
    "mean-cosine": MeanCosine(),
    "window-cosine": WindowCosine(),
    "leave-one-out-cosine": LeaveOneOutCosine(),
    "eigenvalue-gap": EigenvalueGap(),
}
