"""AB-MIL on windows of words, as in the source, and gated AB-MIL (Ilse, Tomczak and Welling, 2018)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.model import MilModel, Output, masked_softmax, pooled
from handshift.detect.mil.standardise import Standardise


class Attention(nn.Module):
    """a = softmax(w · tanh(h)) over the instances; Ilse et al. add a linear layer before the tanh."""

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


@dataclass(frozen=True, slots=True)
class Windows:
    """Sliding windows of `width` words with stride `stride`."""

    width: int = 5
    stride: int = 1

    def means(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, n, dims) → means of each window (batch, ⌈n / stride⌉, dims) and which windows exist.

        A window that reaches beyond the last word does not; a bag shorter than one window is one window.
        """
        kept = mask.to(words.dtype).unsqueeze(-1)
        sums = self._sums(words * kept, before=0)[:, :: self.stride]
        counts, there = self._counts(kept)
        return sums / counts.clamp_min(1.0), there.squeeze(-1)

    def to_words(self, weights: Tensor, mask: Tensor) -> Tensor:
        """Contributions of words (batch, n) from weights of windows (batch, windows).

        A word gets the mean weight of the windows it lies in, normalised over the bag. The sum instead of the
        mean would favour words in the middle of a page, which lie in more windows than those at its ends.
        """
        kept = mask.to(weights.dtype).unsqueeze(-1)
        there = self._counts(kept)[1].to(weights.dtype)
        covering = self._sums(self._at_starts(there, mask), before=self.width - 1)  # (batch, n, 1)
        total = self._sums(self._at_starts(weights.unsqueeze(-1), mask), before=self.width - 1)
        mean = (total / covering.clamp_min(1.0) * kept).squeeze(-1)
        return mean / mean.sum(dim=1, keepdim=True).clamp_min(1e-12)

    def _counts(self, kept: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, windows, 1) words of each window, and whether it is complete; `kept` (batch, n, 1)."""
        counts = self._sums(kept, before=0)[:, :: self.stride]
        # In a bag shorter than a window, later starts hold fewer words and are left out.
        full = kept.sum(dim=1, keepdim=True).clamp(1.0, float(self.width))
        return counts, counts > full - 0.5

    def _at_starts(self, values: Tensor, mask: Tensor) -> Tensor:
        """(batch, windows, 1) → (batch, n, 1): each value at the first word of its window, else 0."""
        if self.stride == 1:
            return values
        spread = functional.pad(values.unsqueeze(2), (0, 0, 0, self.stride - 1)).flatten(1, 2)
        return spread[:, : mask.shape[1]]

    def _sums(self, values: Tensor, before: int) -> Tensor:
        """Sums of `width` neighbours, as many as there are values; zeros stand outside."""
        line = functional.pad(values.transpose(1, 2), (before, self.width - 1 - before))
        return functional.avg_pool1d(line, self.width, stride=1).transpose(1, 2) * self.width


class AbMil(MilModel):
    """h = Linear(mean over a window's words), a = softmax(w·tanh(h)), logit = Linear(ReLU(Σ a·h)).

    A word contributes the mean weight of the windows it lies in. Stride 1 cuts windows from a page; the
    source's bags, whose instances are replaced whole, are read with the stride of a window.

    Args:
        dims: dimensions of a word vector.
        hidden: dimensions of an instance embedding.
        width: words of an instance.
        stride: words between the starts of instances; `width` for the source's bags.
    """

    order_aware = True

    def __init__(self, dims: int, hidden: int = 128, width: int = 5, stride: int = 1) -> None:
        super().__init__()
        self.standard = Standardise(dims)
        self.windows = Windows(width, stride)
        self.embed = nn.Linear(dims, hidden)
        self.attend: nn.Module = Attention(hidden)
        self.classify = nn.Sequential(nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        return self.with_attention(words, mask)[0]

    def attention(self, words: Tensor, mask: Tensor) -> Tensor:
        """(batch, instances) attention weights, which sum to 1: ten for a bag of the source."""
        return self.with_attention(words, mask)[1]

    def with_attention(self, words: Tensor, mask: Tensor) -> tuple[Output, Tensor]:
        """The output, and the attention weights of the instances (batch, instances).

        An instance that would reach beyond the last word has weight 0.
        """
        means, there = self.windows.means(self.standard(words), mask)
        hidden: Tensor = self.embed(means)  # (batch, instances, hidden)
        weights: Tensor = self.attend(hidden, there)
        logit = self.classify(pooled(weights, hidden)).squeeze(-1)
        return Output(logit, self.windows.to_words(weights, mask)), weights


class GatedAbMil(AbMil):
    """The same with gated attention, a = softmax(w·(tanh(V·h) ⊙ sigmoid(U·h)))."""

    def __init__(self, dims: int, hidden: int = 128, width: int = 5, stride: int = 1) -> None:
        super().__init__(dims, hidden, width, stride)
        self.attend = GatedAttention(hidden, hidden)
