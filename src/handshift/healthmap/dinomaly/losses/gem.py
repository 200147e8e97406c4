"""Both groups' maps as one, the larger distance counting more."""

from __future__ import annotations

import torch
from torch import Tensor

from handshift.healthmap.dinomaly.distance import point_distances
from handshift.healthmap.dinomaly.losses.hard_mining import HardMinedLoss, slowed_easy_points

SMALLEST = 1e-6  # the root's slope has no end at zero


def generalised_mean(distances: Tensor, power: float) -> Tensor:
    """(mean_g d^p)^(1/p): (B, G, T) → (B, T); p = 1 is the mean, p → ∞ the maximum."""
    return distances.clamp(min=SMALLEST).pow(power).mean(dim=1).pow(1 / power)


class GemLoss(HardMinedLoss):
    """Mean over points of the generalised mean over groups, easy points' gradient times ``factor`` (0.3)."""

    def __init__(self, power: float = 3.0, easy: float = 0.9, factor: float = 0.3, ramp: int = 1000) -> None:
        super().__init__(easy, factor, ramp)
        self.power = power

    def forward(self, features: Tensor, given_back: Tensor, step: int) -> Tensor:
        """The loss."""
        joined = generalised_mean(point_distances(features, given_back), self.power)  # (B, T)
        slowed: Tensor = slowed_easy_points(
            joined.unsqueeze(-1), joined.detach(), self.share(step), self.factor
        )
        return torch.mean(slowed)
