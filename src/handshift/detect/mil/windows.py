"""Instances of several consecutive words, and their weights handed back to the words."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Windows:
    """Runs of `width` words, the next one beginning `stride` words on."""

    width: int = 5
    stride: int = 1

    def means(self, words: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """(batch, n, dims) → means of each window (batch, ⌈n / stride⌉, dims) and which windows are there.

        A window that reaches beyond the last word is not; a bag shorter than one window is one window.
        """
        kept = mask.to(words.dtype).unsqueeze(-1)
        sums = self._sums(words * kept, before=0)[:, :: self.stride]
        counts = self._sums(kept, before=0)[:, :: self.stride]  # (batch, windows, 1)
        full = kept.sum(dim=1, keepdim=True).clamp(1.0, float(self.width))
        there = counts > full - 0.5
        # Where the bag is shorter than a window, later starts see fewer words and are left out.
        return sums / counts.clamp_min(1.0), there.squeeze(-1)

    def to_words(self, weights: Tensor, mask: Tensor) -> Tensor:
        """Weights of windows (batch, windows) shared evenly among their words (batch, n)."""
        kept = mask.to(weights.dtype).unsqueeze(-1)
        counts = self._sums(kept, before=0)[:, :: self.stride]
        each = weights.unsqueeze(-1) / counts.clamp_min(1.0)
        if self.stride > 1:
            each = functional.pad(each.unsqueeze(2), (0, 0, 0, self.stride - 1)).flatten(1, 2)[
                :, : mask.shape[1]
            ]
        return (self._sums(each, before=self.width - 1) * kept).squeeze(-1)

    def _sums(self, values: Tensor, before: int) -> Tensor:
        """Sums of `width` neighbours, as many as there are values; zeros stand outside."""
        line = functional.pad(values.transpose(1, 2), (before, self.width - 1 - before))
        return functional.avg_pool1d(line, self.width, stride=1).transpose(1, 2) * self.width
