"""Base class of backbones, and pooling of feature maps over ink."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


def pool_over_ink(features: Tensor, pictures: Tensor) -> Tensor:
    """Pool a feature map by its ink-weighted mean and standard deviation.

    Empty canvas has weight 0, and words of any width give rows of one length.

    Args:
        features: (batch, channels, h, w).
        pictures: (batch, 1, H, W) in 0…1, 1 being ink; H a multiple of h.

    Returns:
        (batch, 2·channels).
    """
    ink = F.max_pool2d(pictures, pictures.shape[2] // features.shape[2])  # (batch, 1, h, w)
    share = ink / ink.sum(dim=(2, 3), keepdim=True).clamp_min(1e-4)
    mean = (features * share).sum(dim=(2, 3))
    square = (features * features * share).sum(dim=(2, 3))
    spread = (square - mean * mean).clamp_min(1e-5).sqrt()
    return torch.cat([mean, spread], dim=1)


class Network(nn.Module):
    """Picture → vector. Losses use `features`, whose norms carry information; calling it gives unit rows."""

    dimensions: int

    def features(self, pictures: Tensor) -> Tensor:
        """Compute raw features: (batch, 1, height, width) in 0…1, 1 being ink → (batch, dimensions)."""
        raise NotImplementedError

    def forward(self, pictures: Tensor) -> Tensor:
        """Compute unit rows, which are what is exported."""
        return F.normalize(self.features(pictures), dim=1)


class StagedNetwork(Network):
    """A CNN of a stem and stages; the last two stages are pooled over ink and projected."""

    stem: nn.Module
    stages: nn.ModuleList
    dropout: nn.Module
    project: nn.Module

    def features(self, pictures: Tensor) -> Tensor:
        """Compute raw features; height and width must be multiples of the last stage's stride."""
        maps = self.stem(pictures)
        levels = []
        for stage in self.stages:
            maps = stage(maps)
            levels.append(maps)
        pooled = torch.cat([pool_over_ink(level, pictures) for level in levels[-2:]], dim=1)
        return self.project(self.dropout(pooled))  # (batch, dimensions)
