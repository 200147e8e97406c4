"""The same picture, moved and inked a little otherwise: a trait of a hand does not hang on one pixel grid."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

TURN, SHEAR, SCALE, SHIFT, CURVE = 0.05, 0.06, 0.08, (0.10, 0.06), 0.3
"""Standard deviations: radians, tangent, logarithm, parts of width and height, logarithm of the ink's γ."""


def jittered(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """(count, 1, height, width) → the same shape, each picture changed by itself, gradients kept."""
    count, _, height, width = pictures.shape

    def drawn(spread: float) -> Tensor:
        return spread * torch.randn(count, generator=generator)

    angle, shear, scale = drawn(TURN), drawn(SHEAR), torch.exp(drawn(SCALE))
    stretch = torch.exp(drawn(SCALE))
    cos, sin, ratio = torch.cos(angle) * scale, torch.sin(angle) * scale, height / width
    rows = [
        torch.stack([cos * stretch, (shear - sin) * ratio, drawn(2 * SHIFT[0])], dim=1),
        torch.stack([sin / ratio, cos, drawn(2 * SHIFT[1])], dim=1),
    ]
    grid = F.affine_grid(torch.stack(rows, dim=1), list(pictures.shape), align_corners=False)
    moved = F.grid_sample(pictures, grid, align_corners=False)
    curve = torch.exp(drawn(CURVE))[:, None, None, None]
    return moved.clamp_min(1e-4) ** curve
