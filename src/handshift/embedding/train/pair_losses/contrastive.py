"""The contrastive loss of Siamese networks."""

from __future__ import annotations

from torch import Tensor

from handshift.embedding.train.pair_losses.pair_loss import PairLoss, euclidean, mean_of_active


class Contrastive(PairLoss):
    """mean_{same} d^p + mean_{different} max(0, m − d)^p, d = ‖x̂_i − x̂_j‖ in 0…2.

    Means are over pairs with a loss above zero. p = 2 is Hadsell, Chopra and LeCun 2006 (without its ½).
    With a miner other than ``all``, the pairs are those of its triplets.

    Args:
        margin: m.
        power: p.
        miner: A key of `MINERS`.
    """

    def __init__(self, margin: float = 1.0, power: float = 2.0, miner: str = "all") -> None:
        super().__init__(margin, miner)
        self.power = power

    def over(self, unit: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Sum the means over positive and over negative pairs."""
        distance = euclidean(unit)
        if self.miner != "all":
            triplets = self.mined(distance, positive, negative)
            positive, negative = triplets.any(dim=2), triplets.any(dim=1)
        near = distance[positive].pow(self.power)
        far = (self.margin - distance[negative]).clamp_min(0.0).pow(self.power)
        return mean_of_active(near) + mean_of_active(far)
