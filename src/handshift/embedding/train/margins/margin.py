"""Base class of all margins: how the target's logit is changed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from torch import Tensor, nn

from handshift.core.errors import HandshiftError


class Margin(nn.Module, ABC):
    """logit_y = s·f(cos θ_y), logit_j = s·g(cos θ_j) for the other classes; g is the identity in most.

    A margin receives cosines and feature norms, never centres, so that every margin works with every head.

    Args:
        scale: s, above 0.

    Raises:
        HandshiftError: The scale is not above 0.
    """

    raw: ClassVar[bool] = False
    """Whether the margin takes products w·x + b instead of cosines."""

    def __init__(self, scale: float) -> None:
        super().__init__()
        if not scale > 0:
            raise HandshiftError(f"The scale of a margin must be above 0, and {scale} was given.")
        self.scale = scale
        self._strength = 1.0

    @property
    def strength(self) -> float:
        """Fraction of the margin that is applied: 0 is the loss without a margin, 1 (the default) all of it.

        Raise it from 0 to 1 over the first steps to warm the margin up.
        """
        return self._strength

    @strength.setter
    def strength(self, share: float) -> None:
        if not 0.0 <= share <= 1.0:
            raise HandshiftError(f"The strength of a margin lies in 0…1, and {share} was given.")
        self._strength = float(share)

    @abstractmethod
    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """Apply f to the target cosines: cos θ_y (batch,) and feature norms (batch,) → (batch,)."""

    def others(self, cosine: Tensor, target: Tensor) -> Tensor:
        """Apply g to the other classes: cos θ_j (batch, columns), cos θ_y (batch,) → (batch, columns).

        The target's own column may hold any value: it is overwritten afterwards.
        """
        return cosine

    def observe(self, cosine: Tensor, norms: Tensor) -> None:
        """Update running statistics; called once for each training loss, before ``target``."""

    def extra_repr(self) -> str:
        """Parameters shown by ``repr``."""
        return f"scale={self.scale:.4g}"
