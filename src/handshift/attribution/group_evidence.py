"""The evidence that groups of the hands of one document are one person's."""

from __future__ import annotations

import numpy as np

from handshift.attribution.same_writer import GroupRatios, SameWriter
from handshift.core.arrays import Flags, Floats
from handshift.embedding.prototypes import Prototypes

_DISTANT = 5
"""The common part of a list is shrunk as if so many further entries had none. On validation writers this
brought the false pairs at one stated from 7.2 to 3.2 (IAM) and from 1.8 to 0.8 (copiste), mAP from .33 to .41
and from .61 to .60 (words-3)."""


class GroupEvidence:
    """Hands of one document under the model of "same person or not".

    Args:
        model: Same person or not.
        hands: Mean and number of words of every hand.
        apart: (hands, hands) ln odds that two hands of one page are by two people, found on that page.
        centred: Whether to remove what all hands have in common.
    """

    def __init__(
        self, model: SameWriter, hands: Prototypes, apart: Floats | None = None, *, centred: bool = False
    ) -> None:
        self.model, self.hands = model, hands
        self.sums = model.sums(hands).centred(_DISTANT) if centred else model.sums(hands)
        self.apart = apart if apart is not None and apart.any() else None

    def __len__(self) -> int:
        return len(self.hands)

    def ratios(self, one: Flags, two: Flags) -> GroupRatios:
        """One writer against two for pairs of disjoint groups, (pairs, hands) membership each."""
        return self.model.ratios(self.sums.grouped(one), self.sums.grouped(two))

    def pairs(self) -> Floats:
        """(hands, hands) calibrated log10 LR of every two hands, clipped to its bounds; 0 on the diagonal."""
        found = np.zeros((len(self), len(self)))
        for row in range(len(self) - 1):
            found[row, row + 1 :] = self.model.ratios(self.sums[row : row + 1], self.sums[row + 1 :]).log10_lr
        return found + found.T
