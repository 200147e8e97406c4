"""How little the words resemble each other on the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handshift.detect.baselines.unit import units
from handshift.detect.interface import Scored, Vectors, shares


@dataclass(frozen=True, slots=True)
class MeanCosine:
    """score = −mean_{i<j} cos(x_i, x_j); a word contributes 1 − its mean cosine to the others."""

    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> Scored:
        """Score (words, dimensions); one word resembles itself, −1."""
        n = len(words)
        if n < 2:
            return Scored(-1.0, np.ones(n))
        x = units(words)
        to_others = ((x @ x.sum(axis=0)) - (x * x).sum(axis=1)) / (n - 1)  # (words,)
        return Scored(float(-to_others.mean()), shares(np.maximum(1.0 - to_others, 0.0)))
