"""AdaFace: the margin depends on the feature's norm as a proxy of image quality (Kim et al. 2022)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.margins.margin import Margin

SHORTEST, LONGEST = 1e-3, 100.0  # norms outside are outliers that would distort the statistics


class AdaFace(Margin):
    """logit_y = s·(cos(θ_y − m·q) − (m + m·q)), q = clip(h·(‖x‖ − μ)/σ, −1, 1).

    q is the image quality: 1 gives CosFace's margin and a negative angular margin, −1 ArcFace's margin alone.
    θ_y − m·q is clamped to 0…π. μ and σ are running means of each batch's mean and standard deviation of ‖x‖,
    at first over all batches seen and then with rate r, so that no initial guess of the norm is needed. No
    gradient flows through the norm.

    Args:
        scale: s.
        margin: m.
        concentration: h.
        rate: r, the smallest weight of a new batch in the running means.
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
        """Update μ and σ with the batch's norms; a batch of one sample has no deviation and is ignored."""
        if norms.numel() < 2:
            return
        norms = norms.clamp(SHORTEST, LONGEST).to(self.mean)
        self.batches += 1
        rate = (1.0 / self.batches).clamp_min(self.rate)
        self.mean.lerp_(norms.mean(), rate)
        self.deviation.lerp_(norms.std(), rate)

    def quality(self, norms: Tensor) -> Tensor:
        """Compute q in −1…1 from feature norms; (batch,) → (batch,)."""
        norms = norms.detach().clamp(SHORTEST, LONGEST)
        mean, deviation = self.mean.to(norms.dtype), self.deviation.to(norms.dtype)
        return (self.concentration * (norms - mean) / (deviation + 1e-3)).clamp(-1.0, 1.0)

    def target(self, cosine: Tensor, norms: Tensor) -> Tensor:
        """Apply the quality-dependent margin; (batch,), (batch,) → (batch,)."""
        quality, margin = self.quality(norms), self.strength * self.margin
        moved = (angle(cosine) - margin * quality).clamp(0.0, math.pi)
        return torch.cos(moved) - margin * (1.0 + quality)

    def extra_repr(self) -> str:
        """Parameters shown by ``repr``."""
        return f"{super().extra_repr()}, margin={self.margin}, concentration={self.concentration}"
