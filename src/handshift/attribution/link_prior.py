"""Prior over who wrote which pages: a stated probability that a link between two hands is one person's."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from handshift.core.arrays import Floats
from handshift.core.errors import HandshiftError

EVEN = 0.5
"""Default prior that one person wrote two given pages; at even odds the evidence alone decides on a pair."""


@dataclass(frozen=True, slots=True)
class LinkPrior:
    """Two hands, or two groups of one person's hands each, are by one person with probability `same`.

    A document of n hands is held together by n − 1 links at most, so before it is seen the number of its
    writers is 1 + Binomial(n − 1, 1 − same).

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
    def log_odds(self) -> float:
        """ln of the odds of one writer against two; 0 at even odds."""
        return log(self.same / (1 - self.same))

    def writers(self, hands: int) -> Floats:
        """(hands,) prior of 1 … n writers of n hands."""
        return number_of_writers(np.full(max(0, hands - 1), self.same))


def number_of_writers(links: Floats) -> Floats:
    """Distribution of the number of writers of n hands, each of n − 1 links being one person's or not.

    Args:
        links: (n − 1,) probability of each.

    Returns:
        (n,) probability of 1 … n writers: every link that is not one person's makes one more.
    """
    chance = np.array([1.0])
    for link in links:
        chance = np.append(chance * link, 0.0) + np.append(0.0, chance * (1 - link))
    return chance
