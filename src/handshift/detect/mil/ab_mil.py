"""Attention-based MIL on windows of words, as the source describes it, and with a gate."""

from __future__ import annotations

from torch import Tensor, nn

from handshift.detect.mil.attention import Attention, GatedAttention
from handshift.detect.mil.masking import pooled
from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.standard import Standard
from handshift.detect.mil.windows import Windows


class AbMil(MilModel):
    """h = Linear(mean over a window's words), a = softmax(w·tanh(h)), logit = Linear(ReLU(Σ a·h)).

    A word contributes its parts of the weights of the windows it stands in. Stride 1 cuts windows from a
    page; the source's bags, whose instances are replaced whole, are read with the stride of a window.
    """

    order_aware = True

    def __init__(self, dims: int, hidden: int = 128, width: int = 5, stride: int = 1) -> None:
        super().__init__()
        self.standard = Standard(dims)
        self.windows = Windows(width, stride)
        self.embed = nn.Linear(dims, hidden)
        self.attend: nn.Module = Attention(hidden)
        self.classify = nn.Sequential(nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        means, there = self.windows.means(self.standard(words), mask)
        hidden = self.embed(means)  # (batch, windows, hidden)
        weights = self.attend(hidden, there)  # (batch, windows)
        logit = self.classify(pooled(weights, hidden)).squeeze(-1)
        return Output(logit, self.windows.to_words(weights, mask))


class GatedAbMil(AbMil):
    """The same with gated attention, a = softmax(w·(tanh(V·h) ⊙ sigmoid(U·h)))."""

    def __init__(self, dims: int, hidden: int = 128, width: int = 5, stride: int = 1) -> None:
        super().__init__(dims, hidden, width, stride)
        self.attend = GatedAttention(hidden, hidden)
