"""Angles from cosines, with slopes that stay finite where the cosine is exactly one."""

from __future__ import annotations

import torch
from torch import Tensor


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
