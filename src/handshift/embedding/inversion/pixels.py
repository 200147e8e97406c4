"""Pictures parametrised as free pixels over several octaves."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

_OCTAVES = 4


class Pixels(nn.Module):
    """picture = sigmoid(b + Σ_l up_{2^l}(z_l)): coarse shapes have their own parameters and converge first.

    The penalty is on total variation, the amount of ink, and grey between paper and ink.

    Args:
        count: Number of pictures.
        canvas: Height and width.
        generator: Source of the initialisation.
    """

    def __init__(self, count: int, canvas: tuple[int, int], generator: torch.Generator) -> None:
        super().__init__()
        self._canvas = canvas
        sizes = [(max(1, canvas[0] >> level), max(1, canvas[1] >> level)) for level in range(_OCTAVES)]
        self.levels = nn.ParameterList(
            nn.Parameter(0.3 * torch.randn(count, 1, *size, generator=generator)) for size in sizes
        )

    def forward(self) -> Tensor:
        """Draw the pictures; (count, 1, height, width) in 0…1."""
        parts = [
            F.interpolate(level, self._canvas, mode="bilinear", align_corners=False) for level in self.levels
        ]
        return torch.sigmoid(torch.stack(parts).sum(dim=0) - 2)

    def penalty(self) -> Tensor:
        """Penalise total variation, ink and grey."""
        picture = self()
        down, across = picture.diff(dim=2).abs().mean(), picture.diff(dim=3).abs().mean()
        grey = (picture * (1 - picture)).mean()
        return 2 * (down + across) + picture.mean() + grey
