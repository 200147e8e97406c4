"""Tuplet margin loss: a positive against all negatives at once (Yu and Tao 2019)."""

from __future__ import annotations

import torch
from torch import Tensor

from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.pair_losses.pair_loss import PairLoss


class Tuplet(PairLoss):
    """mean over (a, p) of log(1 + Σ_n e^{s·(cos θ_an − cos(θ_ap − m))}), Yu and Tao 2019, eq. 3.

    The slack m, in radians, is subtracted from the positive's angle, which keeps the loss from overfitting
    to the spread within a class. Miners receive angles.

    Args:
        scale: s.
        margin: m.
        miner: A key of `MINERS`.
    """

    def __init__(self, scale: float = 64.0, margin: float = 0.1, miner: str = "all") -> None:
        super().__init__(margin, miner)
        self.scale = scale

    def over(self, unit: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute one log-sum for each positive pair that has a negative."""
        cosine = unit @ unit.T
        theta = angle(cosine)
        triplets = self.mined(theta, positive, negative)
        a, p = triplets.any(dim=2).nonzero(as_tuple=True)
        gaps = self.scale * (cosine[a] - torch.cos(theta[a, p] - self.margin)[:, None])  # (pairs, batch)
        gaps = gaps.masked_fill(~triplets[a, p], -torch.inf)
        losses = torch.logsumexp(torch.cat([torch.zeros_like(gaps[:, :1]), gaps], dim=1), dim=1)
        return losses.sum() / max(len(losses), 1)
