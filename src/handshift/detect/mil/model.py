"""What every learned detector of bags takes and gives."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.standard import Standard


class Output(NamedTuple):
    """The bags' scores and where they come from."""

    logit: Tensor
    """(batch,) ln odds of more than one hand, as the training bags had them."""
    contribution: Tensor
    """(batch, words) each word's part: not negative, 0 on padding, summing to 1."""


class MilModel(nn.Module):
    """A network on bags of words: forward(words (batch, n, dims), mask (batch, n)) → Output.

    The mask is true on words and false on padding, which follows the words.
    """

    order_aware: ClassVar[bool] = False
    """Whether the order of the words matters. Reading backwards never does."""

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        raise NotImplementedError

    def acquaint(
        self, words: NDArray[np.float32], writer: NDArray[np.str_], session: NDArray[np.int64]
    ) -> None:
        """Look at the words to be trained on, (words, dims), before the first step."""
        for part in self.children():
            if isinstance(part, Standard):
                part.fit(words)

    def loss(self, words: Tensor, mask: Tensor, label: Tensor) -> tuple[Tensor, Output]:
        """What training lowers, the cross-entropy of the bags' labels (batch,), and the output."""
        output: Output = self(words, mask)
        return functional.binary_cross_entropy_with_logits(output.logit, label), output
