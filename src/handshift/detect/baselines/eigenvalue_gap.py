"""Whether one direction of difference stands out from the noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handshift.detect.baselines.unit import units
from handshift.detect.interface import Scored, Vectors, shares


@dataclass(frozen=True, slots=True)
class EigenvalueGap:
    """score = max_k (λ_k − λ_{k+1}) of the similarity matrix, centred in rows and columns, over n.

    Words of one hand scatter evenly, so the eigenvalues fall smoothly; two hands part along one direction,
    whose eigenvalue stands out. A word contributes the square of its entry in the eigenvector at the gap.
    """

    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> Scored:
        """Score (words, dimensions)."""
        n = len(words)
        if n < 2:
            return Scored(0.0, np.ones(n))
        x = units(words)
        x = x - x.mean(axis=0)
        values, vectors = np.linalg.eigh(x @ x.T / n)  # rising
        gaps = np.diff(values)
        at = int(np.argmax(gaps)) + 1  # the eigenvalue above the largest gap
        return Scored(float(max(gaps.max(), 0.0)), shares(np.square(vectors[:, at])))
