"""DS-MIL, dual-stream MIL: the critical instance and attention to it (Li, Li and Eliceiri, 2021)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.model import MilModel, Output, hidden_layer_head, masked_softmax, pooled
from handshift.detect.mil.standardise import Standardise


class DsMil(MilModel):
    """logit = ½ (c(h_m) + Linear(Σ a_i·h_i)) with m = argmax c(h_i), a = softmax(q_i · q_m / √d).

    h are embedded words, c a linear instance classifier, q = tanh(W₂·ReLU(W₁·h)) the queries. The loss is the
    mean of both streams' cross-entropies; a word contributes a_i.
    """

    def __init__(self, dims: int, hidden: int = 128) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.embed = nn.Sequential(nn.Linear(dims, hidden), nn.ReLU())
        self.instance_classifier = nn.Linear(hidden, 1)
        self.query = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.Tanh())
        self.classify: nn.Module = nn.Linear(hidden, 1)

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        highest, bag, weights = self._streams(words, mask)
        return Output(0.5 * (highest + bag), weights)

    def loss(self, words: Tensor, mask: Tensor, label: Tensor) -> tuple[Tensor, Output]:
        """½ (BCE of the critical instance + BCE of the bag)."""
        highest, bag, weights = self._streams(words, mask)
        both = [functional.binary_cross_entropy_with_logits(logit, label) for logit in (highest, bag)]
        return 0.5 * (both[0] + both[1]), Output(0.5 * (highest + bag), weights)

    def _streams(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.embed(self.standard(words))  # (batch, n, hidden)
        instance_logits = self.instance_classifier(hidden).squeeze(-1).masked_fill(~mask, -1e9)  # (batch, n)
        highest, at = instance_logits.max(dim=1)
        queries = self.query(hidden)
        chosen = at[:, None, None].expand(-1, 1, queries.shape[-1])
        critical = torch.gather(queries, 1, chosen)  # (batch, 1, hidden)
        similarity = (queries * critical).sum(dim=-1) / math.sqrt(queries.shape[-1])
        weights = masked_softmax(similarity, mask)
        return highest, self.classify(pooled(weights, hidden)).squeeze(-1), weights


class DsMilMlp(DsMil):
    """DS-MIL with a hidden layer behind the pooling; see `hidden_layer_head` for the reason."""

    def __init__(self, dims: int, hidden: int = 128) -> None:
        super().__init__(dims, hidden)
        self.classify = hidden_layer_head(hidden)
