"""The one step all margins share: how the target's cosine changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from handshift.core.errors import HandshiftError


class Margin(nn.Module, ABC):
    """logit_y = s·f(cos θ_y), logit_j = s·g(cos θ_j) for the other classes; g is the identity in most.

    A margin sees cosines and feature norms, never centres, so that each goes with each head.
    """

    raw: ClassVar[bool] = False
    """Wants products w·x + b as they are, not cosines."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        if not scale > 0:
            raise HandshiftError(f"The scale of a margin must be above 0, and {scale} was given.")
        self.scale = scale
        self._strength = 1.0

    @property
    def strength(self) -> float:
        """Share of the margin in force: 0 is the loss without a margin, 1 (as built) the whole.

        Raise it from 0 to 1 over the first steps to warm a margin up.
        """
        return self._strength

    @strength.setter
    def strength(self, share: float) -> None:
        if not 0.0 <= share <= 1.0:
            raise HandshiftError(f"The strength of a margin lies in 0…1, and {share} was given.")
        self._strength = float(share)

    @abstractmethod
    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """f: cos θ_y (batch,) and feature norms (batch,) → what stands in its place (batch,)."""

    def others(self, cosine: Tensor, target: Tensor) -> Tensor:
        """g: cos θ_j (batch, columns), beside the unchanged cos θ_y (batch,) → (batch, columns).

        The target's own column may hold anything: it is written over afterwards.
        """
        return cosine

    def observe(self, cosine: Tensor, norms: Tensor) -> None:
        """Bring running statistics up to date; called once for each training loss, before ``target``."""

    def extra_repr(self) -> str:
        """What ``print`` shows."""
        return f"scale={self.scale:.4g}"
