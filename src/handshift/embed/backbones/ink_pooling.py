"""A map of features becomes one row, read where there is ink."""

from __future__ import annotations

import torch
from torch import Tensor
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
