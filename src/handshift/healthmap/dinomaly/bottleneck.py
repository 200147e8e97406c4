"""A narrow and noisy gate between encoder and decoder."""

from __future__ import annotations

from torch import Tensor, nn


class NoisyBottleneck(nn.Module):
    """(B, T, width) → (B, T, out): Dropout, Linear, GELU, Dropout, Linear, Dropout, with a fourfold middle.

    The dropout is the noise: a decoder that must undo it cannot pass on what it has never seen.
    """

    def __init__(self, width: int, out: int, dropout: float = 0.2) -> None:
        super().__init__()
        hidden = 4 * out
        self.layers = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(width, hidden),
            nn.GELU(),
            nn.Dropout(dropout),
            nn.Linear(hidden, out),
            nn.Dropout(dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """The tokens, less exactly."""
        out: Tensor = self.layers(tokens)
        return out
