"""What a further term of the loss may look at.

The inter term (L6): centres driven apart.

The intra term (L5): samples drawn to their own centre.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from handshift.embedding.train.margins.combined_margin import angle


@dataclass(frozen=True)
class Angles:
    """The batch's angles, handed to the terms by the head; ``between`` is only computed if a term asks."""

    target: Tensor
    """(batch,) cosine of each sample with its own centre."""
    between: Callable[[], Tensor]
    """→ (batch,): mean angle from each sample's own centre to the other classes' centres."""


class Term(Protocol):
    """Something added to the cross-entropy."""

    def __call__(self, angles: Angles) -> Tensor:
        """A number."""
        ...


@dataclass(frozen=True)
class Inter:
    """−weight/(π·N·(C − 1)) · Σ_i Σ_{j≠y_i} arccos(ŵ_{y_i}·ŵ_j)."""

    weight: float = 1.0

    def __call__(self, angles: Angles) -> Tensor:
        """Mean angle from the batch's centres to the other centres, in half turns, below zero."""
        return -self.weight / math.pi * angles.between().mean()


@dataclass(frozen=True)
class Intra:
    """weight/(π·N) · Σ_i θ_{y_i}."""

    weight: float = 1.0

    def __call__(self, angles: Angles) -> Tensor:
        """Mean angle to the own centre, in half turns."""
        return self.weight / math.pi * angle(angles.target).mean()
