"""Attention that cannot look sharply: it averages, and so cannot copy an odd patch to where it belongs.

A narrow and noisy gate between encoder and decoder.

The network that gives features back.
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
            raise ValueError(f"a width of {width} cannot be shared by {heads} heads")
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, tokens: Tensor) -> Tensor:
        """(B, T, width) → the same shape."""
        batch, count, width = tokens.shape
        query_key, value = self.qkv(tokens).split((2 * width, width), dim=-1)
        query, key = (F.elu(query_key) + 1).chunk(2, dim=-1)
        query, key, value = (self._parted(part) for part in (query, key, value))
        summary = key.transpose(-2, -1) @ value  # (B, heads, head width, head width)
        total = query @ key.sum(dim=-2).unsqueeze(-1)  # (B, heads, T, 1), above zero since φ is
        mixed = (query @ summary) / total
        out: Tensor = self.out(mixed.transpose(1, 2).reshape(batch, count, width))
        return out

    def _parted(self, values: Tensor) -> Tensor:
        """(B, T, width) → (B, heads, T, head width)."""
        return values.reshape(*values.shape[:2], self.heads, -1).transpose(1, 2)


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
