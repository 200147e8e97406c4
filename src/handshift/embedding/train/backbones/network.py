"""A map of features becomes one row, read where there is ink.

What every network here offers, whatever it is built of.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


def over_ink(features: Tensor, pictures: Tensor) -> Tensor:
    """(batch, channels, h, w) → (batch, 2·channels): mean and standard deviation, weighted by ink.

    So the empty canvas says nothing, and a word of any width gives a row.
    """
    ink = F.max_pool2d(pictures, pictures.shape[2] // features.shape[2])  # (batch, 1, h, w)
    share = ink / ink.sum(dim=(2, 3), keepdim=True).clamp_min(1e-4)
    mean = (features * share).sum(dim=(2, 3))
    square = (features * features * share).sum(dim=(2, 3))
    spread = (square - mean * mean).clamp_min(1e-5).sqrt()
    return torch.cat([mean, spread], dim=1)


class Network(nn.Module):
    """Picture → vector. Losses read `features`, whose norms mean something; all else calls the network."""

    dimensions: int

    def features(self, pictures: Tensor) -> Tensor:
        """(batch, 1, height, width) in 0…1, 1 being ink → raw (batch, dimensions)."""
        raise NotImplementedError

    def forward(self, pictures: Tensor) -> Tensor:
        """The same, unit rows: what is exported."""
        return F.normalize(self.features(pictures), dim=1)
