"""The network that gives features back."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.healthmap.dinomaly.bottleneck import NoisyBottleneck
from handshift.healthmap.dinomaly.linear_attention import LinearAttention


class Block(nn.Module):
    """Pre-norm transformer block: x + attention(norm x), then x + mlp(norm x)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-8), nn.LayerNorm(width, eps=1e-8)
        self.attention = LinearAttention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T, width) → the same shape."""
        tokens = tokens + self.attention(self.norm1(tokens))
        out: Tensor = tokens + self.mlp(self.norm2(tokens))
        return out


class Decoder(nn.Module):
    """Fused features (B, 2, T, encoder width) → what should stand there, the same shape.

    The bottleneck takes the mean over both groups, which is the mean over all the encoder's blocks. Group 0,
    the encoder's early blocks, is given back by the mean over the *late* half of the decoder's blocks and
    group 1 by the early half ("loose": no block answers for one block). A decoder of another width than the
    encoder's ends in a linear map for each group.
    """

    def __init__(self, encoder_width: int, width: int, depth: int, heads: int, dropout: float) -> None:
        super().__init__()
        if depth < 2 or depth % 2:
            raise ValueError(f"a decoder of {depth} blocks cannot be parted in two halves: choose 2, 4, 6, 8")
        self.bottleneck = NoisyBottleneck(encoder_width, width, dropout)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        same = width == encoder_width
        self.out = nn.ModuleList(nn.Identity() if same else nn.Linear(width, encoder_width) for _ in range(2))
        self.apply(_begin)

    def forward(self, groups: Tensor) -> Tensor:
        """Give both groups back."""
        return self.given_back(self.bottleneck(groups.mean(dim=1)))

    def given_back(self, tokens: Tensor) -> Tensor:
        """From the bottleneck's tokens (B, T, width) on."""
        heard = []
        for block in self.blocks:
            tokens = block(tokens)
            heard.append(tokens)
        half = len(heard) // 2
        halves = torch.stack(heard[half:]).mean(0), torch.stack(heard[:half]).mean(0)
        return torch.stack([out(tokens) for out, tokens in zip(self.out, halves, strict=True)], dim=1)


def _begin(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.trunc_normal_(module.weight, std=0.01, a=-0.03, b=0.03)
        nn.init.zeros_(module.bias)
