"""Offline change point of a health index: the split with the largest rank-sum statistic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

SHORTEST = 5
"""Values on either side of a change point."""
MIN_STRENGTH = 3.5
"""|z| from which a change is reported: about 1 % of healthy runs of 300 maps reach it."""


@dataclass(frozen=True)
class ChangePoint:
    """The last split of a series into a lower and a higher part."""

    index: int
    """First value after the change."""
    strength: float
    """z-score of the Mann–Whitney rank sum at the split."""


def change_point(values: ArrayLike) -> ChangePoint | None:
    """Find the split at which later values exceed earlier ones most.

    z(k) = (R_k − k·(n+1)/2)/√(k·(n−k)·(n+1)/12), R_k the rank sum of the first k values, and the change is
    at the smallest z. Ranks, because single transients are far larger than the noise.

    Args:
        values: Health index in order of time.

    Returns:
        The change, or None if the series is short or no split is clear.
    """
    series = np.asarray(values, np.float64)
    count = len(series)
    if count < 2 * SHORTEST:
        return None
    ranks = rankdata(series)
    before = np.arange(SHORTEST, count - SHORTEST + 1)
    sums = np.cumsum(ranks)[before - 1]
    z = (before * (count + 1) / 2 - sums) / np.sqrt(before * (count - before) * (count + 1) / 12)
    best = int(z.argmax())
    return ChangePoint(int(before[best]), float(z[best])) if z[best] >= MIN_STRENGTH else None
