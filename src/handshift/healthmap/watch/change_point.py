"""Offline change point of a health index: a rank-sum test for whether it changed, least squares for when."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.ndimage import median_filter
from scipy.stats import rankdata

SHORTEST = 5
"""Values on either side of a change point."""
MIN_STRENGTH = 3.5
"""|z| from which a change is reported: about 1 % of healthy runs of 300 maps reach it."""
SMOOTHED = 5
"""Width of the running median before a change is located: transients are far larger than the noise."""


@dataclass(frozen=True)
class ChangePoint:
    """The last split of a series into a lower and a higher part."""

    index: int
    """First value after the change."""
    strength: float
    """Largest z-score of the Mann–Whitney rank sum over all splits."""


def change_point(values: ArrayLike) -> ChangePoint | None:
    """Find where later values begin to exceed earlier ones, at once or slowly.

    Whether: z(k) = (k·(n+1)/2 − R_k)/√(k·(n−k)·(n+1)/12), R_k the rank sum of the first k values, reaches
    `MIN_STRENGTH` for some k. When: the k of least squares of y = a + b·[t ≥ k] (a tooth breaks) or
    y = a + b·(t − k + 1)₊ (a tooth wears), whichever fits the smoothed series better. The largest z alone
    lies late where a fault grows slowly.

    Args:
        values: Health index in order of time.

    Returns:
        The change, or None if the series is short or no split is clear.
    """
    series = np.asarray(values, np.float64)
    count = len(series)
    if count < 2 * SHORTEST:
        return None
    splits = np.arange(SHORTEST, count - SHORTEST + 1)
    sums = np.cumsum(rankdata(series))[splits - 1]
    z = (splits * (count + 1) / 2 - sums) / np.sqrt(splits * (count - splits) * (count + 1) / 12)
    if z.max() < MIN_STRENGTH:
        return None
    explained = _explained(median_filter(series, SMOOTHED, mode="nearest"), splits)
    return ChangePoint(int(splits[int(explained.argmax())]), float(z.max()))


def _explained(series: NDArray[np.float64], splits: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sum of squares that a rise from each split on explains, of the better of step and ramp: (splits,)."""
    count = len(series)
    centred = series - series.mean()
    after = -np.cumsum(centred)[splits - 1]  # Σ_{t ≥ k} y, since all sum to zero
    moments = np.cumsum(np.arange(count) * centred)
    ramped = moments[-1] - moments[splits - 1] - (splits - 1) * after  # Σ y·(t − k + 1)₊
    left = (count - splits).astype(np.float64)
    step_square = left - left**2 / count
    ramp_sum, ramp_square = left * (left + 1) / 2, left * (left + 1) * (2 * left + 1) / 6
    step = np.maximum(after, 0) ** 2 / step_square
    ramp = np.maximum(ramped, 0) ** 2 / (ramp_square - ramp_sum**2 / count)
    return np.asarray(np.maximum(step, ramp), np.float64)
