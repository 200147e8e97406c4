"""A narrow and noisy gate between encoder and decoder."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Noise(nn.Module):
    """Dropout, whose mask torch draws one by one on a processor: a tenth of a training step."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, values: Tensor) -> Tensor:
        """Silence each value with probability ``share`` and raise the others; nothing when not training."""
        if not (self.training and self.share):
            return values
        kept = torch.rand_like(values) >= self.share
        return values * kept.to(values.dtype).div_(1 - self.share)


class NoisyBottleneck(nn.Module):
    """(B, T, width) → (B, T, out): Dropout, Linear, GELU, Dropout, Linear, Dropout, with a fourfold middle.

    The dropout is the noise: a decoder that must undo it cannot pass on what it has never seen.
    """

    def __init__(self, width: int, out: int, dropout: float = 0.2) -> None:
        super().__init__()
        hidden = 4 * out
        self.layers = nn.Sequential(
            Noise(dropout),
            nn.Linear(width, hidden),
            nn.GELU(),
            Noise(dropout),
            nn.Linear(hidden, out),
            Noise(dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """The tokens, less exactly."""
        out: Tensor = self.layers(tokens)
        return out
