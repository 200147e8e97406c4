"""Dinomaly's decoder: noisy bottleneck and linear-attention blocks that reconstruct the encoder's features.

Linear attention cannot focus on single patches, so the decoder cannot copy an anomalous patch through.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


class LinearAttention(nn.Module):
    r"""out_i = φ(q_i)·Σ_j φ(k_j)ᵀ v_j / φ(q_i)·Σ_j φ(k_j), φ(x) = elu(x) + 1; O(T) instead of O(T²)."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        if width % heads:
            raise ValueError(f"a width of {width} is not divisible by {heads} heads")
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T, width) → the same shape."""
        batch, count, width = tokens.shape
        query_key, value = self.qkv(tokens).split((2 * width, width), dim=-1)
        query, key = (F.elu(query_key) + 1).chunk(2, dim=-1)
        query, key, value = (self._split_heads(part) for part in (query, key, value))
        summary = key.transpose(-2, -1) @ value  # (B, heads, head width, head width)
        total = query @ key.sum(dim=-2).unsqueeze(-1)  # (B, heads, T, 1), positive because φ is
        mixed = (query @ summary) / total
        out: Tensor = self.out(mixed.transpose(1, 2).reshape(batch, count, width))
        return out

    def _split_heads(self, values: Tensor) -> Tensor:
        """(B, T, width) → (B, heads, T, head width)."""
        return values.reshape(*values.shape[:2], self.heads, -1).transpose(1, 2)


class FastDropout(nn.Module):
    """Dropout with a vectorised mask; on the CPU torch's own takes a tenth of a training step."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, values: Tensor) -> Tensor:
        """Zero each value with probability ``share`` and scale the others by 1/(1 − share) in training."""
        if not (self.training and self.share):
            return values
        mask = torch.rand_like(values) >= self.share
        return values * mask.to(values.dtype).div_(1 - self.share)


class NoisyBottleneck(nn.Module):
    """MLP with dropout, (B, T, width) → (B, T, out); hidden width 4·out.

    The dropout is the noise: a decoder trained to undo it does not generalise to anomalous features.
    """

    def __init__(self, width: int, out: int, dropout: float = 0.2) -> None:
        super().__init__()
        hidden = 4 * out
        self.layers = nn.Sequential(
            FastDropout(dropout),
            nn.Linear(width, hidden),
            nn.GELU(),
            FastDropout(dropout),
            nn.Linear(hidden, out),
            FastDropout(dropout),
        )

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T, width) → (B, T, out)."""
        out: Tensor = self.layers(tokens)
        return out


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
    """Fused features (B, 2, T, encoder width) → their reconstruction, the same shape.

    The bottleneck's input is the mean over both groups, which is the mean over all used encoder blocks.
    Group 0, the encoder's early blocks, is reconstructed by the mean of the *late* half of the decoder's
    blocks, and group 1 by the early half (loose reconstruction: groups instead of single blocks). If the
    decoder's width differs from the encoder's, a linear layer for each group follows.

    Args:
        encoder_width: Width of the features.
        width: Width of the decoder.
        depth: Number of blocks, even.
        heads: Of the attention.
        dropout: Of the bottleneck.

    Raises:
        ValueError: The depth is odd, or the width is not divisible by the heads.
    """

    def __init__(self, encoder_width: int, width: int, depth: int, heads: int, dropout: float) -> None:
        super().__init__()
        if depth < 2 or depth % 2:
            raise ValueError(f"a decoder of {depth} blocks has no two halves: give an even depth, as 4 or 8")
        self.bottleneck = NoisyBottleneck(encoder_width, width, dropout)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        same = width == encoder_width
        self.out = nn.ModuleList(nn.Identity() if same else nn.Linear(width, encoder_width) for _ in range(2))
        self.apply(_initialise)

    def forward(self, groups: Tensor) -> Tensor:
        """Reconstruct both groups."""
        return self.reconstruct(self.bottleneck(groups.mean(dim=1)))

    def reconstruct(self, tokens: Tensor) -> Tensor:
        """Reconstruct both groups from the bottleneck's output (B, T, width)."""
        hidden = []
        for block in self.blocks:
            tokens = block(tokens)
            hidden.append(tokens)
        half = len(hidden) // 2
        halves = torch.stack(hidden[half:]).mean(0), torch.stack(hidden[:half]).mean(0)
        return torch.stack([out(tokens) for out, tokens in zip(self.out, halves, strict=True)], dim=1)


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear):
        nn.init.trunc_normal_(module.weight, std=0.01, a=-0.03, b=0.03)
        nn.init.zeros_(module.bias)
