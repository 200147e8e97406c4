"""AdaFace: the margin follows the feature's norm, which stands for the picture's quality."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.margins.margin import Margin

SHORTEST, LONGEST = 1e-3, 100.0  # norms beyond are outliers that would carry the statistics away


class AdaFace(Margin):
    """logit_y = s·(cos(θ_y − m·q) − (m + m·q)), q = clip(h·(‖x‖ − μ)/σ, −1, 1).

    q is the picture's quality: 1 gives CosFace's margin and an angle set forward, −1 ArcFace's margin alone.
    θ_y − m·q is kept in 0…π. μ and σ are running means of each batch's mean and standard deviation of ‖x‖,
    at first over all batches seen and then with rate r, so that no guess of the norm's level is needed. The
    norm is a measurement, not a lever: no gradient goes through it.
    """

    mean: Tensor
    deviation: Tensor
    batches: Tensor

    def __init__(
        self, scale: float, margin: float = 0.4, concentration: float = 0.333, rate: float = 0.01
    ) -> None:
        super().__init__(scale)
        self.margin, self.concentration, self.rate = margin, concentration, rate
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("deviation", torch.zeros(()))
        self.register_buffer("batches", torch.zeros(()))

    @torch.no_grad()
    def observe(self, cosine: Tensor, norms: Tensor) -> None:
        """Take the batch's norms into μ and σ; a single sample has no deviation and is passed over."""
        if norms.numel() < 2:
            return
        norms = norms.clamp(SHORTEST, LONGEST).to(self.mean)
        self.batches += 1
        rate = (1.0 / self.batches).clamp_min(self.rate)
        self.mean.lerp_(norms.mean(), rate)
        self.deviation.lerp_(norms.std(), rate)

    def quality(self, norms: Tensor) -> Tensor:
        """q in −1…1; (batch,) → (batch,)."""
        norms = norms.detach().clamp(SHORTEST, LONGEST)
        mean, deviation = self.mean.to(norms.dtype), self.deviation.to(norms.dtype)
        return (self.concentration * (norms - mean) / (deviation + 1e-3)).clamp(-1.0, 1.0)

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """(batch,), (batch,) → (batch,)."""
        quality, margin = self.quality(norms), self.strength * self.margin
        moved = (angle(cosine) - margin * quality).clamp(0.0, math.pi)
        return torch.cos(moved) - margin * (1.0 + quality)

    def extra_repr(self) -> str:
        """What ``print`` shows."""
        return f"{super().extra_repr()}, margin={self.margin}, concentration={self.concentration}"
