"""CurricularFace: hard negatives count little at first and much later."""

from __future__ import annotations

import torch
from torch import Tensor

from handshift.embedding.train.margins.combined_margin import checked_radians, widened
from handshift.embedding.train.margins.margin import Margin


class CurricularFace(Margin):
    """logit_y = s·cos(θ_y + m); where cos θ_j > cos(θ_y + m), logit_j = s·cos θ_j·(t + cos θ_j).

    t is the running mean of cos θ_y, t ← (1 − r)·t + r·mean(cos θ_y), from 0: while the samples are far from
    their centres hard negatives are played down, and played up once they are near. At strength a the factor
    is 1 + a·(t + cos θ_j − 1), so that 0 is the normalised softmax.
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
        """(batch,) → (batch,)."""
        return widened(cosine, self.strength * self.margin)

    def others(self, cosine: Tensor, target: Tensor) -> Tensor:
        """(batch, columns) → (batch, columns)."""
        hard = cosine > widened(target.detach(), self.strength * self.margin)[:, None]
        weight = 1.0 + self.strength * (self.hardness.to(cosine.dtype) + cosine - 1.0)
        return torch.where(hard, cosine * weight, cosine)

    def extra_repr(self) -> str:
        """What ``print`` shows."""
        return f"{super().extra_repr()}, margin={self.margin}"
