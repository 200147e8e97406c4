"""Base class of the reconstruction losses, and their plain mean."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances


class ReconstructionLoss(nn.Module):
    """Features and their reconstruction, both (B, G, T, width), and the training step → a scalar."""

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        raise NotImplementedError

    def weights(self, groups: int) -> Tensor:
        """Weights of the groups in scoring, sum 1: (G,)."""
        return torch.full((groups,), 1 / groups)


class MeanLoss(ReconstructionLoss):
    """Mean distance over all points of all groups."""

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """mean(1 − cos)."""
        return cosine_distances(features, reconstruction).mean()
