"""A pre-norm transformer block for padded bags that returns its attention weights."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from handshift.detect.mil.model import masked_softmax


class MultiHead(nn.Module):
    """softmax(Q Kᵀ / √d) V in several heads; keys where `mask` is false get weight 0."""

    def __init__(self, dims: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(dims, dims) for _ in range(4))

    def forward(self, queries: Tensor, keys: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, q, dims), (batch, k, dims), (batch, k) → (batch, q, dims), mean weights (batch, q, k)."""
        query, key, value = (
            layer(x).unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for layer, x in ((self.query, queries), (self.key, keys), (self.value, keys))
        )  # (batch, heads, n, dims / heads)
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        weights = masked_softmax(scores, mask[:, None, None, :])  # (batch, heads, q, k)
        mixed = (weights @ value).transpose(1, 2).flatten(2)
        return self.out(mixed), weights.mean(dim=1)


class Block(nn.Module):
    """x + attention(norm x), then x + MLP(norm x)."""

    def __init__(self, dims: int, heads: int) -> None:
        super().__init__()
        self.before, self.between = nn.LayerNorm(dims), nn.LayerNorm(dims)
        self.attend = MultiHead(dims, heads)
        self.feed = nn.Sequential(nn.Linear(dims, 2 * dims), nn.GELU(), nn.Linear(2 * dims, dims))

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, n, dims), (batch, n) → the same shape, weights (batch, n, n)."""
        normed = self.before(x)
        mixed, weights = self.attend(normed, normed, mask)
        x = x + mixed
        return x + self.feed(self.between(x)), weights


def with_token(token: Tensor, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Put one learnt token (1, 1, dims) before each bag's words."""
    first = token.expand(words.shape[0], -1, -1)
    return torch.cat([first, words], dim=1), torch.cat([torch.ones_like(mask[:, :1]), mask], dim=1)
