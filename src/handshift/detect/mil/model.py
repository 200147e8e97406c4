"""The base class of MIL networks, masked pooling over padded bags, and the mean-pool baseline."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.standardise import Standardise

_NEVER = -1e9


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax over the last axis where `mask` is true, exactly 0 elsewhere, all 0 where it never is."""
    weights = torch.softmax(scores.masked_fill(~mask, _NEVER), dim=-1)
    return weights * mask.to(weights.dtype)


def masked_mean(values: Tensor, mask: Tensor) -> Tensor:
    """(batch, n, dims) → (batch, dims) over unmasked words."""
    kept = mask.unsqueeze(-1).to(values.dtype)
    return (values * kept).sum(dim=1) / kept.sum(dim=1).clamp_min(1.0)


def masked_max(values: Tensor, mask: Tensor) -> Tensor:
    """(batch, n, dims) → (batch, dims) over unmasked words."""
    return values.masked_fill(~mask.unsqueeze(-1), _NEVER).amax(dim=1)


def pooled(weights: Tensor, values: Tensor) -> Tensor:
    """(batch, n) and (batch, n, dims) → (batch, dims), the weighted sum."""
    return torch.bmm(weights.unsqueeze(1), values).squeeze(1)


class Output(NamedTuple):
    """Bag logits and the contribution of each word."""

    logit: Tensor
    """(batch,) ln odds of more than one hand, as the training bags had them."""
    contribution: Tensor
    """(batch, words) non-negative, 0 on padding, summing to 1."""


class MilModel(nn.Module):
    """A network on bags of words: forward(words (batch, n, dims), mask (batch, n)) → Output.

    The mask is true on words and false on padding, which follows the words.
    """

    order_aware: ClassVar[bool] = False
    """Whether the logit depends on the order of words; it is invariant under reversal."""

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        raise NotImplementedError

    def fit_statistics(
        self, words: NDArray[np.float32], writer: NDArray[np.str_], session: NDArray[np.int64]
    ) -> None:
        """Fit the input standardisation to the training words (words, dims), before the first step."""
        for part in self.children():
            if isinstance(part, Standardise):
                part.fit(words)

    def loss(self, words: Tensor, mask: Tensor, label: Tensor) -> tuple[Tensor, Output]:
        """Binary cross-entropy with the bags' labels (batch,), and the output."""
        output: Output = self(words, mask)
        return functional.binary_cross_entropy_with_logits(output.logit, label), output


def hidden_layer_head(dims: int) -> nn.Sequential:
    """Linear → ReLU → Linear: a bag classifier that is not additive in the pooled instances.

    A linear classifier of Σ a_i·h_i is the weighted mean of instance scores, Σ a_i·(w·h_i + b). Whether words
    are by one hand or by two is a relation between them, which no mean of instance scores expresses.
    `benchmarks/mil_heads.py` measures the difference on writers not seen in training.
    """
    return nn.Sequential(nn.Linear(dims, dims), nn.ReLU(), nn.Linear(dims, 1))


class MeanPool(MilModel):
    """logit = MLP(mean of the words); contributions are uniform."""

    def __init__(self, dims: int, hidden: int = 128) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.classify = nn.Sequential(nn.Linear(dims, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        kept = mask.to(words.dtype)
        logit = self.classify(masked_mean(self.standard(words), mask)).squeeze(-1)
        return Output(logit, kept / kept.sum(dim=1, keepdim=True).clamp_min(1.0))
