"""How much each tooth stands out on a map, by rows and by columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats64 = NDArray[np.float64]
HEARD = 0.25
"""Share of a row or column whose largest values count: a sensor hears a planet only while it passes."""


def row_profile(maps: NDArray[np.floating]) -> Floats64:
    """Mean of the largest quarter of every row over its lower quartile, (…, H, W) → (…, H).

    Over the quartile, because healthy teeth differ too, but evenly: a broken one is heard in some contacts.
    """
    lines = np.asarray(maps, np.float64)
    count = max(1, round(HEARD * lines.shape[-1]))
    largest = np.partition(lines, -count, axis=-1)[..., -count:].mean(axis=-1)
    return np.asarray(largest - np.quantile(lines, 0.25, axis=-1), np.float64)


def column_profile(maps: NDArray[np.floating]) -> Floats64:
    """The same of every column, (…, H, W) → (…, W)."""
    return row_profile(np.swapaxes(maps, -1, -2))
