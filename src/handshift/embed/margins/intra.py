"""The intra term (L5): samples drawn to their own centre."""

from __future__ import annotations

import math
from dataclasses import dataclass

from torch import Tensor

from handshift.embed.margins.angle import angle
from handshift.embed.margins.term import Angles


@dataclass(frozen=True)
class Intra:
    """weight/(π·N) · Σ_i θ_{y_i}."""

    weight: float = 1.0

    def __call__(self, angles: Angles) -> Tensor:
        """Mean angle to the own centre, in half turns."""
        return self.weight / math.pi * angle(angles.target).mean()
