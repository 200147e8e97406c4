"""devPAV: how far likelihood ratios lie from their optimal monotone recalibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics.scored import as_scored


def devpav(labels: ArrayLike, log10_lr: ArrayLike) -> float:
    """Mean absolute distance of log10 LR from its PAV transform (Vergeer et al. 2021); 0 is perfect.

    devPAV = ∫ |PAV(x) − x| dx / (x_max − x_min), over the log10 LRs x whose PAV transform is finite, linear
    between them.

    Args:
        labels: (N,) 1 where the first proposition is true.
        log10_lr: (N,) log₁₀ likelihood ratios.

    Returns:
        The distance; NaN where no PAV transform is finite (the propositions are separated without error).

    Raises:
        UnmeasurableError: One class is absent, or a value is NaN.
    """
    from scipy.optimize import isotonic_regression  # half a second, and no page needs it

    flags, values = as_scored(labels, log10_lr)
    at, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    share = isotonic_regression(np.bincount(where, weights=flags) / counts, weights=counts).x
    inside = (share > 0) & (share < 1)
    if not inside.any():
        return float("nan")
    prior = np.log10(flags.sum()) - np.log10((~flags).sum())
    x = at[inside]
    apart = np.log10(share[inside]) - np.log10(1 - share[inside]) - prior - x
    if x.size == 1:
        return float(abs(apart[0]))
    one, two, width = apart[:-1], apart[1:], np.diff(x)
    total = np.abs(one) + np.abs(two)
    crossing = one * two < 0
    area = np.where(crossing, (one**2 + two**2) / (2 * np.where(total > 0, total, 1.0)), total / 2)
    return float((area * width).sum() / width.sum())
