"""The mean of a bag's words: what can be told without asking which word stands out."""

from __future__ import annotations

from torch import Tensor, nn

from handshift.detect.mil.masking import masked_mean
from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.standard import Standard


class MeanPool(MilModel):
    """logit = MLP(mean of the words); every word contributes alike."""

    def __init__(self, dims: int, hidden: int = 128) -> None:
        super().__init__()
        self.standard = Standard(dims)
        self.classify = nn.Sequential(nn.Linear(dims, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        kept = mask.to(words.dtype)
        logit = self.classify(masked_mean(self.standard(words), mask)).squeeze(-1)
        return Output(logit, kept / kept.sum(dim=1, keepdim=True).clamp_min(1.0))
