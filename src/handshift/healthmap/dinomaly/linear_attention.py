"""Attention that cannot look sharply: it averages, and so cannot copy an odd patch to where it belongs."""

from __future__ import annotations

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
