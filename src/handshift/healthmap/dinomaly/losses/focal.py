"""Focal weighting: every point is weighted by its reconstruction distance."""

from __future__ import annotations

from torch import Tensor

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.reconstruction_loss import ReconstructionLoss


class FocalLoss(ReconstructionLoss):
    """Σ w·d / Σ w with w = (d/2)^γ held constant: the focal loss's (1 − p)^γ with p = (1 + cos)/2.

    The weights are normalised; otherwise γ would change the size of the gradient, not only its direction.
    """

    def __init__(self, gamma: float = 2.0) -> None:
        super().__init__()
        self.gamma = gamma

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        distances = cosine_distances(features, reconstruction)
        weights = (distances.detach() / 2).clamp(min=1e-6).pow(self.gamma)
        return (weights * distances).sum() / weights.sum()
