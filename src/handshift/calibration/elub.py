"""ELUB: empirical lower and upper bounds of likelihood ratios."""

from __future__ import annotations

import numpy as np

from handshift.core.arrays import Flags, Floats

STEP = 0.01
_EXTREME = 9.0


def elub(log10_lr: Floats, first: Flags) -> tuple[float, float]:
    """Empirical lower and upper bound of log10 LR (Vergeer et al., Science & Justice 56, 2016).

    A threshold t is supported while deciding by "LR > t" costs no more than deciding without the evidence,

        P(LR ≤ t | 1) + t · P(LR > t | 2)  ≤  min(1, t),

    with one misleading case added on either side. The bounds are the supported thresholds nearest to 1
    beyond which there is an unsupported one.

    Args:
        log10_lr: (cases,) before bounding.
        first: (cases,) whether the first proposition is true.

    Returns:
        Lower bound (≤ 0) and upper bound (≥ 0) of log10 LR.
    """
    values = np.clip(np.asarray(log10_lr, float), -_EXTREME, _EXTREME)
    lowest = max(values.min(), -np.log10(first.sum() + 1))
    highest = min(values.max(), np.log10((~first).sum() + 1))
    below = min(0, int(np.floor_divide(lowest, STEP)))
    above = max(0, int(np.floor_divide(highest, STEP)) + 1)
    grid = np.linspace(below * STEP, above * STEP, above - below + 1)
    threshold = 10.0**grid
    neutral = np.where(threshold < 1, threshold, 1.0)
    cost = _cost(values, first, grid) / neutral
    left, right = grid[(grid <= 0) & (cost > 1)], grid[(grid >= 0) & (cost > 1)]
    lower = float(np.max(left + STEP, initial=grid[0]))
    upper = float(np.min(right - STEP, initial=grid[-1]))
    return min(lower, 0.0), max(upper, 0.0)


def _cost(log10_lr: Floats, first: Flags, grid: Floats) -> Floats:
    """(thresholds,) P(LR ≤ t | 1) + t · P(LR > t | 2), one misleading case added to either side."""
    lr, threshold = 10.0**log10_lr, 10.0**grid
    true, false = np.sort(lr[first]), np.sort(lr[~first])
    missed = (np.searchsorted(true, threshold, side="right") + 1) / (true.size + 1)
    misled = (false.size - np.searchsorted(false, threshold, side="right") + 1) / (false.size + 1)
    return np.asarray(missed + threshold * misled)
