"""Triplet losses: a positive must be nearer than a negative by a margin, in distance or in angle."""

from __future__ import annotations

from torch import Tensor

from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.pair_losses.pair_loss import PairLoss, euclidean, mean_of_active


class Triplet(PairLoss):
    """max(0, d_ap − d_an + m), d = ‖x̂_i − x̂_j‖; mean over the triplets above zero."""

    def __init__(self, margin: float = 0.2, miner: str = "all") -> None:
        super().__init__(margin, miner)

    def distance(self, unit: Tensor) -> Tensor:
        """Compute pairwise distances; (batch, batch)."""
        return euclidean(unit)

    def over(self, unit: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the hinge over the mined triplets."""
        distance = self.distance(unit)
        a, p, n = self.mined(distance, positive, negative).nonzero(as_tuple=True)
        return mean_of_active((distance[a, p] - distance[a, n] + self.margin).clamp_min(0.0))


class AngularTriplet(Triplet):
    """max(0, θ_ap + m − θ_an), θ = arccos(x̂_i·x̂_j), m in radians: arccos(pos) + m ≤ arccos(neg)."""

    def __init__(self, margin: float = 0.3, miner: str = "all") -> None:
        super().__init__(margin, miner)

    def distance(self, unit: Tensor) -> Tensor:
        """Compute pairwise angles in radians; (batch, batch)."""
        return angle(unit @ unit.T)
