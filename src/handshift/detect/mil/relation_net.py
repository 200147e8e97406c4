"""A net that sees only how the words resemble each other, never the words."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.detect.mil.attention import GatedAttention
from handshift.detect.mil.masking import masked_max, masked_mean, masked_softmax, pooled
from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.relations import POWERS, QUANTILES, centred, cosines, row_quantiles, spectrum
from handshift.detect.mil.standard import lengths


class RelationNet(MilModel):
    """Foreign is a relation: the input is S = cos(x_i, x_j), and how much each word has to say, ln |x_i|.

    Each word begins as that and the quantiles of its row of S; rounds of messages along S let groups find
    each other; mean, maximum and attention over the words, the spectrum of the centred S and ln n give the
    logit. It cannot know writers by heart, takes vectors of any dimension, and no order of the words. A word
    contributes its attention.
    """

    def __init__(self, dims: int, hidden: int = 32, rounds: int = 2) -> None:
        super().__init__()
        self.dims = dims
        self.begin = nn.Sequential(nn.Linear(QUANTILES + 1, hidden), nn.ReLU(), nn.Linear(hidden, hidden))
        self.rounds = nn.ModuleList(_Round(hidden) for _ in range(rounds))
        self.attend = GatedAttention(hidden, hidden)
        self.classify = nn.Sequential(
            nn.Linear(3 * hidden + POWERS + 1, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        similarity, pairs = cosines(words, mask)
        inner = centred(similarity, mask)
        length = torch.log(lengths(words))
        h = self.begin(torch.cat([row_quantiles(similarity, pairs), length], dim=-1))  # (batch, n, hidden)
        for step in self.rounds:
            h = step(h, similarity, inner, pairs, mask)
        weights = self.attend(h, mask)
        size = mask.to(h.dtype).sum(dim=1, keepdim=True).clamp_min(1.0).log()
        bag = [masked_mean(h, mask), masked_max(h, mask), pooled(weights, h), spectrum(inner), size]
        return Output(self.classify(torch.cat(bag, dim=-1)).squeeze(-1), weights)


class _Round(nn.Module):
    """h + MLP(h, softmax(τ·S)·h, K·h, mean of h): what like words, and what the centred matrix K, say."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.sharpness = nn.Parameter(torch.tensor(5.0))
        self.mix = nn.Sequential(nn.Linear(4 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, hidden))

    def forward(self, h: Tensor, similarity: Tensor, inner: Tensor, pairs: Tensor, mask: Tensor) -> Tensor:
        alike = masked_softmax(self.sharpness * similarity, pairs)  # (batch, n, n)
        mean = masked_mean(h, mask).unsqueeze(1).expand_as(h)
        mixed: Tensor = h + self.mix(torch.cat([h, alike @ h, inner @ h, mean], dim=-1))
        return mixed
