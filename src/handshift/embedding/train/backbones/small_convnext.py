"""Small ConvNeXt with pooling over ink."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from handshift.embedding.train.backbones.network import StagedNetwork


class ChannelNorm(nn.LayerNorm):
    """Layer normalisation over the channels of each cell of (batch, channels, h, w)."""

    def forward(self, x: Tensor) -> Tensor:
        """Channels last and back."""
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    """y = x + γ·W₂ GELU(W₁ LN(depthwise 7×7 (x))), γ initialised small."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.gain = nn.Parameter(torch.full((width,), 1e-2))

    def forward(self, x: Tensor) -> Tensor:
        """(batch, width, h, w) → the same shape."""
        change = self.mlp(self.norm(self.depthwise(x).permute(0, 2, 3, 1)))  # (batch, h, w, width)
        return x + (self.gain * change).permute(0, 3, 1, 2)


class SmallConvNeXt(StagedNetwork):
    """Patches of 4×4, then stages that halve the map; the last two are pooled over ink.

    Height and width of pictures must be multiples of 2^(number of widths + 1).

    Args:
        widths: Channels of each stage.
        dimensions: Length of the vector.
        dropout: Before the projection.
        blocks: Blocks of each stage.
    """

    def __init__(
        self,
        widths: Sequence[int] = (48, 96, 192),
        dimensions: int = 128,
        dropout: float = 0.1,
        blocks: int = 2,
    ) -> None:
        super().__init__()
        self.dimensions = dimensions
        self.stem = nn.Sequential(nn.Conv2d(1, widths[0], 4, 4), ChannelNorm(widths[0]))
        self.stages = nn.ModuleList([nn.Sequential(*(Block(widths[0]) for _ in range(blocks)))])
        for given, width in pairwise(widths):
            down = (ChannelNorm(given), nn.Conv2d(given, width, 2, 2))
            self.stages.append(nn.Sequential(*down, *(Block(width) for _ in range(blocks))))
        self.dropout = nn.Dropout(dropout)
        self.project = nn.Sequential(
            nn.LayerNorm(2 * sum(widths[-2:])),
            nn.Linear(2 * sum(widths[-2:]), dimensions, bias=False),
            nn.BatchNorm1d(dimensions),
        )
