"""Additional loss terms on angles: intra (L5, samples to their centre) and inter (L6, between centres)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from handshift.embedding.train.margins.combined_margin import angle


@dataclass(frozen=True)
class Angles:
    """A batch's angles, passed to the terms by the head; ``between`` is computed only when called."""

    target: Tensor
    """(batch,) cosine of each sample with its own centre."""
    between: Callable[[], Tensor]
    """→ (batch,): mean angle from each sample's own centre to the other classes' centres."""


class Term(Protocol):
    """A term added to the cross-entropy."""

    def __call__(self, angles: Angles) -> Tensor:
        """Compute the term, a scalar."""
        ...


@dataclass(frozen=True)
class Inter:
    """−weight/(π·N·(C − 1)) · Σ_i Σ_{j≠y_i} arccos(ŵ_{y_i}·ŵ_j)."""

    weight: float = 1.0

    def __call__(self, angles: Angles) -> Tensor:
        """Compute the negative mean angle from the batch's centres to the other centres, over π."""
        return -self.weight / math.pi * angles.between().mean()


@dataclass(frozen=True)
class Intra:
    """weight/(π·N) · Σ_i θ_{y_i}."""

    weight: float = 1.0

    def __call__(self, angles: Angles) -> Tensor:
        """Compute the mean angle to the own centre, over π."""
        return self.weight / math.pi * angle(angles.target).mean()
