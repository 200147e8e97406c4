"""Angles from cosines, with slopes that stay finite where the cosine is exactly one.

The one formula for margins on the angle and on the cosine.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from handshift.core.errors import HandshiftError
from handshift.embedding.train.margins.margin import Margin


def sine(cosine: Tensor) -> Tensor:
    """sin θ = √(1 − cos²θ), any shape.

    The root's slope is infinite at cos θ = ±1. Below sin²θ = 8ε, which is what rounding leaves of it, the
    root is replaced by the line through the origin: the value is right at the end and the slope finite.
    """
    square = 1.0 - cosine * cosine
    least = 8 * torch.finfo(cosine.dtype).eps
    line = square.clamp_min(0.0) / least**0.5
    return torch.where(square > least, square.clamp_min(least).sqrt(), line)


def angle(cosine: Tensor) -> Tensor:
    """θ = atan2(sin θ, cos θ) in 0…π, any shape; exact at both ends, where arccos has no slope."""
    return torch.atan2(sine(cosine), cosine)


class Combined(Margin):
    """logit_y = s·(cos(m1·θ_y + m2) − m3).

    cos turns back where m1·θ + m2 passes π, and a target further away would then be punished less. Two
    continuations keep it falling:
    with m1 = 1 ArcFace's, cos θ − m2·sin m2 in place of cos(θ + m2) (`th = cos(π − m)` in its code);
    else SphereFace's ψ(φ) = (−1)^k·cos φ − 2k, with φ = m1·θ + m2 and k = ⌊φ/π⌋.
    """

    def __init__(self, scale: float, m1: float = 1.0, m2: float = 0.3, m3: float = 0.2) -> None:
        super().__init__(scale)
        if not m1 > 0:
            raise HandshiftError(f"m1 multiplies the angle and must be above 0, and {m1} was given.")
        self.m1, self.m2, self.m3 = m1, checked_radians(m2), m3

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """(batch,) → (batch,)."""
        m1 = 1.0 + self.strength * (self.m1 - 1.0)
        m2, m3 = self.strength * self.m2, self.strength * self.m3
        if m1 == 1.0:
            return widened(cosine, m2) - m3
        return _falling(m1 * angle(cosine) + m2) - m3

    def extra_repr(self) -> str:
        """What ``print`` shows."""
        return f"{super().extra_repr()}, m1={self.m1}, m2={self.m2}, m3={self.m3}"


def checked_radians(margin: float) -> float:
    """An angular margin, refused outside 0…π/2: beyond, the continuation past π would no longer fall."""
    if not 0.0 <= margin <= math.pi / 2:
        raise HandshiftError(f"An angular margin lies in 0…1.57 radians, and {margin} was given.")
    return margin


def widened(cosine: Tensor, margin: float) -> Tensor:
    """cos(θ + m), and cos θ − m·sin m where θ + m > π; any shape."""
    if margin == 0.0:
        return cosine
    theta = angle(cosine)
    past = cosine - margin * math.sin(margin)
    return torch.where(theta <= math.pi - margin, torch.cos(theta + margin), past)


def _falling(phi: Tensor) -> Tensor:
    fold = torch.floor(phi.detach() / math.pi)
    return (1.0 - 2.0 * (fold % 2)) * torch.cos(phi) - 2.0 * fold
