"""What every loss here is: a function of what was there and what was given back."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances


class ReconstructionLoss(nn.Module):
    """(features, given back), both (B, G, T, width), and the training step → a scalar to minimise."""

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """The loss."""
        raise NotImplementedError

    def weights(self, groups: int) -> Tensor:
        """How much each group counts when maps are scored, sum 1: (G,)."""
        return torch.full((groups,), 1 / groups)


class MeanLoss(ReconstructionLoss):
    """Mean distance over all points of all groups."""

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """mean(1 − cos)."""
        return cosine_distances(features, reconstruction).mean()
