"""CurricularFace: the weight of hard negatives grows during training (Huang et al. 2020)."""

from __future__ import annotations

import torch
from torch import Tensor

from handshift.embedding.train.margins.combined_margin import add_angular_margin, checked_radians
from handshift.embedding.train.margins.margin import Margin


class CurricularFace(Margin):
    """logit_y = s·cos(θ_y + m); where cos θ_j > cos(θ_y + m), logit_j = s·cos θ_j·(t + cos θ_j).

    t is the running mean of cos θ_y, t ← (1 − r)·t + r·mean(cos θ_y), from 0: hard negatives are
    down-weighted while the samples are far from their centres and up-weighted later. At strength a the factor
    is 1 + a·(t + cos θ_j − 1), so that a = 0 is the normalised softmax.

    Args:
        scale: s.
        margin: m in radians, 0…π/2.
        rate: r of the running mean.
    """

    hardness: Tensor

    def __init__(self, scale: float, margin: float = 0.5, rate: float = 0.01) -> None:
        super().__init__(scale)
        self.margin, self.rate = checked_radians(margin), rate
        self.register_buffer("hardness", torch.zeros(()))

    @torch.no_grad()
    def observe(self, cosine: Tensor, norms: Tensor) -> None:
        """Move t towards the batch's mean target cosine."""
        self.hardness.lerp_(cosine.mean().to(self.hardness), self.rate)

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """Apply the angular margin; (batch,) → (batch,)."""
        return add_angular_margin(cosine, self.strength * self.margin)

    def others(self, cosine: Tensor, target: Tensor) -> Tensor:
        """Weight the hard negatives; (batch, columns) → (batch, columns)."""
        hard = cosine > add_angular_margin(target.detach(), self.strength * self.margin)[:, None]
        weight = 1.0 + self.strength * (self.hardness.to(cosine.dtype) + cosine - 1.0)
        return torch.where(hard, cosine * weight, cosine)

    def extra_repr(self) -> str:
        """Parameters shown by ``repr``."""
        return f"{super().extra_repr()}, margin={self.margin}"
