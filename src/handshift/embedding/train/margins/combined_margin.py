"""The combined margin cos(m1·θ + m2) − m3, and angles from cosines with finite gradients at ±1."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from handshift.core.errors import HandshiftError
from handshift.embedding.train.margins.margin import Margin


def sine(cosine: Tensor) -> Tensor:
    """Compute sin θ = √(1 − cos²θ), any shape.

    The gradient of the root is infinite at cos θ = ±1. Below sin²θ = 8ε, the rounding error, the root is
    replaced by a line through the origin: the value is exact at ±1 and the gradient finite.
    """
    square = 1.0 - cosine * cosine
    least = 8 * torch.finfo(cosine.dtype).eps
    line = square.clamp_min(0.0) / least**0.5
    return torch.where(square > least, square.clamp_min(least).sqrt(), line)


def angle(cosine: Tensor) -> Tensor:
    """Compute θ = atan2(sin θ, cos θ) in 0…π, any shape; finite gradients at ±1, unlike arccos."""
    return torch.atan2(sine(cosine), cosine)


class CombinedMargin(Margin):
    """logit_y = s·(cos(m1·θ_y + m2) − m3).

    cos rises again where m1·θ + m2 exceeds π, so a target further away would be penalised less. Two
    continuations keep the logit monotonically decreasing:
    with m1 = 1 ArcFace's, cos θ − m2·sin m2 in place of cos(θ + m2) (`th = cos(π − m)` in its code);
    else SphereFace's ψ(φ) = (−1)^k·cos φ − 2k, with φ = m1·θ + m2 and k = ⌊φ/π⌋.

    Args:
        scale: s.
        m1: Factor of the angle, above 0 (SphereFace).
        m2: Added to the angle, 0…π/2 radians (ArcFace).
        m3: Subtracted from the cosine (CosFace).

    Raises:
        HandshiftError: A margin is out of its range.
    """

    def __init__(self, scale: float, m1: float = 1.0, m2: float = 0.3, m3: float = 0.2) -> None:
        super().__init__(scale)
        if not m1 > 0:
            raise HandshiftError(f"m1 multiplies the angle and must be above 0, and {m1} was given.")
        self.m1, self.m2, self.m3 = m1, checked_radians(m2), m3

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """Apply the margin; (batch,) → (batch,)."""
        m1 = 1.0 + self.strength * (self.m1 - 1.0)
        m2, m3 = self.strength * self.m2, self.strength * self.m3
        if m1 == 1.0:
            return add_angular_margin(cosine, m2) - m3
        return _monotonic_cosine(m1 * angle(cosine) + m2) - m3

    def extra_repr(self) -> str:
        """Parameters shown by ``repr``."""
        return f"{super().extra_repr()}, m1={self.m1}, m2={self.m2}, m3={self.m3}"


def checked_radians(margin: float) -> float:
    """Refuse an angular margin outside 0…π/2: beyond, the continuation past π would not decrease."""
    if not 0.0 <= margin <= math.pi / 2:
        raise HandshiftError(f"An angular margin lies in 0…1.57 radians, and {margin} was given.")
    return margin


def add_angular_margin(cosine: Tensor, margin: float) -> Tensor:
    """Compute cos(θ + m), and cos θ − m·sin m where θ + m > π; any shape."""
    if margin == 0.0:
        return cosine
    theta = angle(cosine)
    past = cosine - margin * math.sin(margin)
    return torch.where(theta <= math.pi - margin, torch.cos(theta + margin), past)


def _monotonic_cosine(phi: Tensor) -> Tensor:
    fold = torch.floor(phi.detach() / math.pi)
    return (1.0 - 2.0 * (fold % 2)) * torch.cos(phi) - 2.0 * fold
