"""TransMIL (Shao et al., 2021) for words: a transformer with class token and position encoding."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.standardise import Standardise
from handshift.detect.mil.transformer_block import Block, with_token


class TransMil(MilModel):
    """Linear → class token → block → position encoding → block → Linear(norm(token)).

    TransMIL approximates attention for slides of 10,000 patches and arranges them in a square; bags of words
    are short sequences, so attention is exact and the position encoding is one-dimensional. A word
    contributes the class token's attention to it in the last block.
    """

    order_aware = True

    def __init__(self, dims: int, hidden: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.embed = nn.Sequential(nn.Linear(dims, hidden), nn.ReLU())
        self.token = nn.Parameter(0.02 * torch.randn(1, 1, hidden))
        self.first, self.last = Block(hidden, heads), Block(hidden, heads)
        self.place = PositionEncoding(hidden)
        self.norm = nn.LayerNorm(hidden)
        self.classify = nn.Linear(hidden, 1)

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        x, seen = with_token(self.token, self.embed(self.standard(words)), mask)
        x, _ = self.first(x, seen)
        x = torch.cat([x[:, :1], self.place(x[:, 1:], mask)], dim=1)
        x, weights = self.last(x, seen)
        attended = weights[:, 0, 1:]  # (batch, n), without the token's attention to itself
        contribution = attended / attended.sum(dim=1, keepdim=True).clamp_min(1e-12)
        return Output(self.classify(self.norm(x[:, 0])).squeeze(-1), contribution)


class PositionEncoding(nn.Module):
    """x + Σ depthwise convolutions of 7, 5 and 3 words: TransMIL's pyramid position encoding on a line.

    Kernels are symmetric, so that the score is invariant under reversal.
    """

    def __init__(self, dims: int) -> None:
        super().__init__()
        self.kernels = nn.ParameterList(0.1 * torch.randn(dims, 1, width) for width in (7, 5, 3))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(batch, n, dims) → the same, zero on padding."""
        kept = mask.unsqueeze(-1).to(x.dtype)
        line = (x * kept).transpose(1, 2)  # (batch, dims, n)
        total = line
        for kernel in self.kernels:
            even = 0.5 * (kernel + kernel.flip(-1))
            total = total + functional.conv1d(line, even, padding=kernel.shape[-1] // 2, groups=line.shape[1])
        return total.transpose(1, 2) * kept
