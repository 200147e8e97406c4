"""The inter term (L6): centres driven apart."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor

from handshift.embed.margins.term import Angles


@dataclass(frozen=True)
class Inter:
    """−weight/(π·N·(C − 1)) · Σ_i Σ_{j≠y_i} arccos(ŵ_{y_i}·ŵ_j)."""

    weight: float = 1.0

    def __call__(self, angles: Angles) -> Tensor:
        """Mean angle from the batch's centres to the other centres, in half turns, below zero."""
        return -self.weight / math.pi * angles.between().mean()
