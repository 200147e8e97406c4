"""Set transformer (Lee et al., 2019): self-attention blocks, then pooling by multi-head attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.standardise import Standardise
from handshift.detect.mil.transformer_block import Block, MultiHead


class SetTransformer(MilModel):
    """Linear → two self-attention blocks → pooling by attention of one seed → Linear.

    Bags of words are short enough for attention between all pairs, so no inducing points are needed. A word
    contributes the seed's attention to it.
    """

    def __init__(self, dims: int, hidden: int = 64, heads: int = 4) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.embed = nn.Linear(dims, hidden)
        self.blocks = nn.ModuleList(Block(hidden, heads) for _ in range(2))
        self.norm = nn.LayerNorm(hidden)
        self.seed = nn.Parameter(0.1 * torch.randn(1, 1, hidden))
        self.pool = MultiHead(hidden, heads)
        self.feed = nn.Sequential(nn.LayerNorm(hidden), nn.Linear(hidden, hidden), nn.GELU())
        self.classify = nn.Linear(hidden, 1)

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        x = self.embed(self.standard(words))
        for block in self.blocks:
            x, _ = block(x, mask)
        seed = self.seed.expand(x.shape[0], -1, -1)
        pooled, weights = self.pool(seed, self.norm(x), mask)  # (batch, 1, hidden), (batch, 1, n)
        bag = pooled[:, 0] + self.feed(pooled[:, 0])
        return Output(self.classify(bag).squeeze(-1), weights[:, 0])
