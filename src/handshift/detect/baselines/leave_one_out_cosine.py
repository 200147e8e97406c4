"""How little the strangest word resembles the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handshift.detect.baselines.unit import units
from handshift.detect.interface import Scored, Vectors, shares


@dataclass(frozen=True, slots=True)
class LeaveOneOutCosine:
    """score = −min_i cos(x_i, Σ_{j≠i} x_j); a word contributes 1 − its cosine to the rest."""

    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> Scored:
        """Score (words, dimensions); one word resembles itself, −1."""
        if len(words) < 2:
            return Scored(-1.0, np.ones(len(words)))
        x = units(words)
        to_rest = (x * units(x.sum(axis=0) - x)).sum(axis=1)  # (words,)
        return Scored(float(-to_rest.min()), shares(np.maximum(1.0 - to_rest, 0.0)))
