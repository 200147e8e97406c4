"""Multi-scale attention MIL: gated attention on windows of several widths."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from handshift.detect.mil.ab_mil import GatedAttention, Windows
from handshift.detect.mil.model import MilModel, Output, pooled
from handshift.detect.mil.standardise import Standardise

WIDTHS = (1, 3, 5, 10)


class MultiScale(MilModel):
    """At each width gated attention on h = ReLU(Linear(window means)); logit = MLP of the four sums.

    A word contributes the mean over the widths of its windows' attention.
    """

    order_aware = True

    def __init__(self, dims: int, hidden: int = 64) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.windows = [Windows(width) for width in WIDTHS]
        self.embed = nn.ModuleList(nn.Sequential(nn.Linear(dims, hidden), nn.ReLU()) for _ in WIDTHS)
        self.attend = nn.ModuleList(GatedAttention(hidden, hidden) for _ in WIDTHS)
        self.classify = nn.Sequential(
            nn.Linear(len(WIDTHS) * hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        sums, parts = [], []
        words = self.standard(words)
        for windows, embed, attend in zip(self.windows, self.embed, self.attend, strict=True):
            means, there = windows.means(words, mask)
            hidden = embed(means)  # (batch, windows, hidden)
            weights = attend(hidden, there)
            sums.append(pooled(weights, hidden))
            parts.append(windows.to_words(weights, mask))
        logit = self.classify(torch.cat(sums, dim=-1)).squeeze(-1)
        return Output(logit, torch.stack(parts).mean(dim=0))
