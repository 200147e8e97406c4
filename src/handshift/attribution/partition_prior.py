"""Prior over who wrote which pages: the Ewens distribution, with the number of writers open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma, log

import numpy as np

from handshift.core.arrays import Floats
from handshift.core.errors import HandshiftError

EVEN = 0.5
"""Default prior that one person wrote two given pages; at even odds the evidence alone decides on a pair."""


@dataclass(frozen=True, slots=True)
class PartitionPrior:
    """Ewens prior: P(partition of n hands into K writers of m₁ … m_K hands) = αᴷ Π (m_k − 1)! / α⁽ⁿ⁾.

    α⁽ⁿ⁾ = α(α + 1)…(α + n − 1). It is the one prior in which neither the order of the pages nor pages that
    were not looked at matter (the Chinese restaurant process), and it has one parameter, which is stated
    as the probability that two given hands are by one person: same = 1 / (1 + α).

    Args:
        same: Prior probability that one person wrote two given hands, between 0 and 1.

    Raises:
        HandshiftError: `same` is not between 0 and 1.
    """

    same: float = EVEN

    def __post_init__(self) -> None:
        if not 0 < self.same < 1:
            raise HandshiftError(f"the prior of one writer must lie between 0 and 1, not {self.same:g}")

    @property
    def concentration(self) -> float:
        """α: 1 at even odds, larger where more writers are expected."""
        return (1 - self.same) / self.same

    def log(self, sizes: Sequence[int]) -> float:
        """ln prior of a partition whose writers wrote so many hands each."""
        alpha, count = self.concentration, sum(sizes)
        blocks = sum(log(alpha) + lgamma(size) for size in sizes)
        return blocks - (lgamma(alpha + count) - lgamma(alpha))

    def writers(self, hands: int) -> Floats:
        """(hands,) prior of 1 … n writers of n hands: |s(n, k)| αᵏ / α⁽ⁿ⁾, s the Stirling numbers."""
        alpha = self.concentration
        chance = np.array([1.0])
        for earlier in range(1, hands):
            new = alpha / (alpha + earlier)
            chance = np.append(chance * (1 - new), 0.0) + np.append(0.0, chance * new)
        return chance
