"""The network that reads one word: a small residual CNN with pooling over its ink."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

_STRIDE = 16
"""Pixels of the crop per cell of the last feature map."""


class Residual(nn.Module):
    """y = ReLU(x' + BN(conv(ReLU(BN(conv(x)))))), x' being x brought to y's shape."""

    def __init__(self, given: int, wanted: int, stride: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(given, wanted, 3, stride, 1, bias=False),
            nn.BatchNorm2d(wanted),
            nn.ReLU(inplace=True),
            nn.Conv2d(wanted, wanted, 3, 1, 1, bias=False),
            nn.BatchNorm2d(wanted),
        )
        self.shortcut: nn.Module = nn.Identity()
        if stride > 1 or given != wanted:
            self.shortcut = nn.Sequential(
                nn.AvgPool2d(stride), nn.Conv2d(given, wanted, 1, bias=False), nn.BatchNorm2d(wanted)
            )

    def forward(self, x: Tensor) -> Tensor:
        """(batch, given, h, w) → (batch, wanted, h/stride, w/stride)."""
        return F.relu(self.shortcut(x) + self.body(x))


class WordNet(nn.Module):
    """Word picture → unit vector.

    Mean and spread of the features are taken over cells that hold ink, so that a short word's empty canvas
    says nothing.
    """

    def __init__(self, widths: Sequence[int] = (16, 32, 64, 128), dimensions: int = 128) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 5, 2, 2, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True)
        )
        stages: list[nn.Module] = []
        for given, width in pairwise(widths):
            stages += [Residual(given, width, 2), Residual(width, width, 1)]
        self.stages = nn.Sequential(*stages)
        self.dropout = nn.Dropout(0.1)
        self.project = nn.Sequential(
            nn.Linear(2 * widths[-1], dimensions, bias=False), nn.BatchNorm1d(dimensions)
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, 1, 64, 160) in 0…1 → (batch, dimensions), unit rows."""
        features = self.stages(self.stem(pictures))  # (batch, width, 4, 10)
        ink = F.max_pool2d(pictures, _STRIDE)  # (batch, 1, 4, 10)
        share = ink / ink.sum(dim=(2, 3), keepdim=True).clamp_min(1e-4)
        mean = (features * share).sum(dim=(2, 3))  # (batch, width)
        square = (features * features * share).sum(dim=(2, 3))
        spread = (square - mean * mean).clamp_min(1e-5).sqrt()
        vector = self.project(self.dropout(torch.cat([mean, spread], dim=1)))
        return F.normalize(vector, dim=1)
