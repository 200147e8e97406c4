"""Generalised mean (GEM) over the groups, which emphasises the larger distance."""

from __future__ import annotations

import torch
from torch import Tensor

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.hard_mining import HardMinedLoss, scale_easy_gradients

SMALLEST = 1e-6  # the gradient of the root diverges at zero


def generalised_mean(distances: Tensor, power: float) -> Tensor:
    """(mean_g d^p)^(1/p): (B, G, T) → (B, T); p = 1 is the mean, p → ∞ the maximum."""
    return distances.clamp(min=SMALLEST).pow(power).mean(dim=1).pow(1 / power)


class GemLoss(HardMinedLoss):
    """Mean over points of the generalised mean over groups; gradients of easy points are times ``factor``."""

    def __init__(self, power: float = 3.0, easy: float = 0.9, factor: float = 0.3, ramp: int = 1000) -> None:
        super().__init__(easy, factor, ramp)
        self.power = power

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        means = generalised_mean(cosine_distances(features, reconstruction), self.power)  # (B, T)
        weighted: Tensor = scale_easy_gradients(
            means.unsqueeze(-1), means.detach(), self.share(step), self.factor
        )
        return torch.mean(weighted)
