"""Attention over the instances of a bag: the source's, and gated (Ilse, Tomczak and Welling, 2018)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.detect.mil.masking import masked_softmax


class Attention(nn.Module):
    """a = softmax(w · tanh(h)) over the instances; Ilse et al. turn h once more before the tanh."""

    def __init__(self, dims: int) -> None:
        super().__init__()
        self.weigh = nn.Linear(dims, 1)

    def forward(self, instances: Tensor, mask: Tensor) -> Tensor:
        """(batch, n, dims) → weights (batch, n)."""
        return masked_softmax(self.weigh(torch.tanh(instances)).squeeze(-1), mask)


class GatedAttention(nn.Module):
    """a = softmax(w · (tanh(V·h) ⊙ sigmoid(U·h))) over the instances."""

    def __init__(self, dims: int, hidden: int) -> None:
        super().__init__()
        self.turn = nn.Linear(dims, hidden)
        self.gate = nn.Linear(dims, hidden)
        self.weigh = nn.Linear(hidden, 1)

    def forward(self, instances: Tensor, mask: Tensor) -> Tensor:
        """(batch, n, dims) → weights (batch, n)."""
        inner = torch.tanh(self.turn(instances)) * torch.sigmoid(self.gate(instances))
        return masked_softmax(self.weigh(inner).squeeze(-1), mask)
