"""Bounds of likelihood ratios beside ELUB: invariance verification, and the number of sources."""

from __future__ import annotations

import numpy as np

from handshift.core.arrays import Flags, Floats

STEP = 0.001
_BETA = 0.5
"""Jeffreys prior of the shares."""


def invariance_bounds(log10_lr: Floats, first: Flags) -> tuple[float, float]:
    """Bounds of log10 LR by invariance verification (Alberink et al. 2025).

    A threshold t is supported from above while P(LR ≥ t | 1) / P(LR ≥ t | 2) ≥ t, from below while
    P(LR < t | 1) / P(LR < t | 2) ≤ t, shares being estimated with the Jeffreys prior. The bounds are the
    supported thresholds nearest to 1 beyond which there is an unsupported one.

    Args:
        log10_lr: (cases,) before bounding.
        first: (cases,) whether the first proposition is true.

    Returns:
        Lower bound (≤ 0) and upper bound (≥ 0) of log10 LR.
    """
    values = np.asarray(log10_lr, float)
    grid = np.arange(min(0.0, values.min()), max(0.0, values.max()) + STEP, STEP)
    above = [_share_above(values[kind], grid) for kind in (first, ~first)]
    high = np.log10(above[0]) - np.log10(above[1]) - grid
    low = grid - np.log10(1 - above[0]) + np.log10(1 - above[1])
    refused_high, refused_low = np.flatnonzero(high < 0), np.flatnonzero(low < 0)
    upper = grid[max(0, refused_high[0] - 1)] if refused_high.size else values[first].max()
    lower = grid[min(grid.size - 1, refused_low[-1] + 1)] if refused_low.size else values[~first].min()
    return min(float(lower), 0.0), max(float(upper), 0.0)


def source_bounds(sources: int) -> tuple[float, float]:
    """±log10 n for n sources: no ratio beyond what so many different writers can show."""
    reach = float(np.log10(max(1, sources)))
    return -reach, reach


def _share_above(values: Floats, grid: Floats) -> Floats:
    count = values.size - np.searchsorted(np.sort(values), grid, side="left")
    return np.asarray((count + _BETA) / (values.size + 2 * _BETA))
