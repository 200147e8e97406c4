"""Scale-weighted losses: fixed or learned weights of the encoder's early and late blocks."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.reconstruction_loss import ReconstructionLoss


class FixedScaleLoss(ReconstructionLoss):
    """Σ_g w_g·mean distance of group g; maps are scored with the same weights.

    Args:
        weights: Of the groups; normalised to sum 1.

    Raises:
        ValueError: A weight is negative, or all are zero.
    """

    fixed: Tensor

    def __init__(self, weights: Sequence[float]) -> None:
        super().__init__()
        if min(weights) < 0 or sum(weights) <= 0:
            raise ValueError(f"scale weights must be non-negative and not all zero: {list(weights)}")
        self.register_buffer("fixed", torch.tensor(weights) / sum(weights))

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        by_group = cosine_distances(features, reconstruction).mean(dim=(0, 2))  # (G,)
        return (self.fixed * by_group).sum()

    def weights(self, groups: int) -> Tensor:
        """The fixed weights, (G,)."""
        return self.fixed


class LearnedScaleLoss(ReconstructionLoss):
    """Uncertainty weighting Σ_g exp(−s_g)·d_g + s_g with learned s (Kendall et al. 2018).

    Stationary where exp(−s_g) = 1/d_g. Without the second term all weight would go to the easier group.
    """

    def __init__(self, groups: int = 2) -> None:
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(groups))

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        by_group = cosine_distances(features, reconstruction).mean(dim=(0, 2))  # (G,)
        return (torch.exp(-self.log_scale) * by_group + self.log_scale).mean()

    def weights(self, groups: int) -> Tensor:
        """exp(−s), normalised to sum 1: (G,)."""
        return torch.softmax(-self.log_scale.detach(), dim=0)
