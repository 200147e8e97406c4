"""The network that reads one word: a small residual CNN with pooling over its ink."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


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

    Mean and spread of the features of the last two stages are taken over cells that hold ink, so that the
    empty canvas says nothing and a word of any width gives a vector.
    """

    def __init__(self, widths: Sequence[int] = (24, 48, 96, 192), dimensions: int = 128) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 5, 2, 2, bias=False), nn.BatchNorm2d(widths[0]), nn.ReLU(inplace=True)
        )
        self.stages = nn.ModuleList(
            nn.Sequential(Residual(given, width, 2), Residual(width, width, 1))
            for given, width in pairwise(widths)
        )
        self.dropout = nn.Dropout(0.1)
        self.project = nn.Sequential(
            nn.Linear(2 * sum(widths[-2:]), dimensions, bias=False), nn.BatchNorm1d(dimensions)
        )

    def forward(self, pictures: Tensor) -> Tensor:
        """(batch, 1, height, width) in 0…1, both multiples of the last stage's stride → unit rows."""
        features = self.stem(pictures)
        levels = []
        for stage in self.stages:
            features = stage(features)
            levels.append(features)
        pooled = torch.cat([over_ink(level, pictures) for level in levels[-2:]], dim=1)
        return F.normalize(self.project(self.dropout(pooled)), dim=1)  # (batch, dimensions)


def over_ink(features: Tensor, pictures: Tensor) -> Tensor:
    """(batch, channels, h, w) → (batch, 2·channels): mean and standard deviation, weighted by ink."""
    ink = F.max_pool2d(pictures, pictures.shape[2] // features.shape[2])  # (batch, 1, h, w)
    share = ink / ink.sum(dim=(2, 3), keepdim=True).clamp_min(1e-4)
    mean = (features * share).sum(dim=(2, 3))
    square = (features * features * share).sum(dim=(2, 3))
    spread = (square - mean * mean).clamp_min(1e-5).sqrt()
    return torch.cat([mean, spread], dim=1)
