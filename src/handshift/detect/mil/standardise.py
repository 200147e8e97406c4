"""Input standardisation of MIL networks: unit rows, every dimension to mean 0 and standard deviation 1."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from handshift.embedding.embedder import unit_rows

LEAST_LENGTH = 1e-6
"""Smallest row length, which avoids division by zero on blank words."""


class Standardise(nn.Module):
    """(word/|word| − centre) / spread; centre 0 and spread 1 before `fit`.

    Without it, entries of unit rows are so small that tanh and sigmoid are nearly linear, and attention stays
    uniform for thousands of steps.
    """

    centre: Tensor
    spread: Tensor

    def __init__(self, dims: int) -> None:
        super().__init__()
        self.register_buffer("centre", torch.zeros(dims))
        self.register_buffer("spread", torch.ones(dims))

    def fit(self, words: NDArray[np.float32]) -> None:
        """Set centre and spread from words (words, dims)."""
        rows = unit_rows(words)
        self.centre.copy_(torch.from_numpy(rows.mean(axis=0)))
        self.spread.copy_(torch.from_numpy(rows.std(axis=0).clip(min=LEAST_LENGTH)))

    def forward(self, words: Tensor) -> Tensor:
        """(batch, n, dims) → the same."""
        standard: Tensor = (words / lengths(words) - self.centre) / self.spread
        return standard


def lengths(words: Tensor) -> Tensor:
    """Row lengths (batch, n, dims) → (batch, n, 1), never zero, in operations that ONNX supports."""
    return torch.sqrt((words * words).sum(dim=-1, keepdim=True)).clamp_min(LEAST_LENGTH)
