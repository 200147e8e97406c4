"""Cllr, the log-likelihood-ratio cost, and its parts for discrimination and calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics.scored import as_scored


def cllr(labels: ArrayLike, log10_lr: ArrayLike) -> float:
    """Log-likelihood-ratio cost (Brümmer & du Preez 2006); 0 is perfect, LR = 1 for everything costs 1.

    Cllr = ½·mean₁ log₂(1 + 1/LR) + ½·mean₀ log₂(1 + LR), mean₁ over the cases in which the first proposition
    (label 1) is true. Infinite support for the wrong proposition has infinite cost.

    Args:
        labels: (N,) 1 where the first proposition is true.
        log10_lr: (N,) log₁₀ likelihood ratios.

    Returns:
        The cost in bits.

    Raises:
        UnmeasurableError: One class is absent, or a value is NaN.
    """
    flags, values = as_scored(labels, log10_lr)
    natural = values * np.log(10.0)
    missed = np.logaddexp(0.0, -natural[flags]).mean()
    misled = np.logaddexp(0.0, natural[~flags]).mean()
    return float((missed + misled) / (2 * np.log(2.0)))


def cllr_min(labels: ArrayLike, scores: ArrayLike) -> float:
    """Cllr after optimal monotone recalibration on the same scores: the cost of discrimination alone.

    The posterior is estimated by pool-adjacent-violators; LR = posterior odds / prior odds.

    Args:
        labels: (N,) 1 where the first proposition is true.
        scores: (N,) scores, larger for the first proposition.

    Returns:
        The cost in bits.

    Raises:
        UnmeasurableError: One class is absent, or a score is NaN.
    """
    from scipy.optimize import isotonic_regression  # half a second, and no page needs it

    flags, values = as_scored(labels, scores)
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    share = np.bincount(where, weights=flags) / counts
    posterior = isotonic_regression(share, weights=counts).x[where]
    with np.errstate(divide="ignore"):
        odds = np.log10(posterior) - np.log10(1.0 - posterior)
    prior = np.log10(flags.sum()) - np.log10((~flags).sum())
    return cllr(flags, odds - prior)


def cllr_cal(labels: ArrayLike, log10_lr: ArrayLike) -> float:
    """Calibration loss: Cllr − Cllr_min; arguments as for `cllr`."""
    return cllr(labels, log10_lr) - cllr_min(labels, log10_lr)
