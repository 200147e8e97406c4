"""The cost of likelihood ratios: are they well separated, and do their numbers mean what they say?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from handshift.metrics.scored import as_scored


def cllr(labels: ArrayLike, log10_lr: ArrayLike) -> float:
    """Log-likelihood-ratio cost (Brümmer & du Preez 2006); 0 is perfect, LR = 1 for everything costs 1.

    Cllr = ½·mean₁ log₂(1 + 1/LR) + ½·mean₀ log₂(1 + LR), mean₁ over the cases where the first proposition
    (label 1) is true. Infinite support for the wrong side costs infinitely much.
    """
    flags, values = as_scored(labels, log10_lr)
    natural = values * np.log(10.0)
    missed = np.logaddexp(0.0, -natural[flags]).mean()
    misled = np.logaddexp(0.0, natural[~flags]).mean()
    return float((missed + misled) / (2 * np.log(2.0)))


def cllr_min(labels: ArrayLike, scores: ArrayLike) -> float:
    """Cllr after the best monotone recalibration of these very scores: what separation alone costs.

    Posterior by pool-adjacent-violators, LR = posterior odds / prior odds.
    """
    flags, values = as_scored(labels, scores)
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    share = np.bincount(where, weights=flags) / counts
    posterior = isotonic_regression(share, weights=counts).x[where]
    with np.errstate(divide="ignore"):
        odds = np.log10(posterior) - np.log10(1.0 - posterior)
    prior = np.log10(flags.sum()) - np.log10((~flags).sum())
    return cllr(flags, odds - prior)


def cllr_cal(labels: ArrayLike, log10_lr: ArrayLike) -> float:
    """The part of Cllr that better calibration could remove: Cllr − Cllr_min."""
    return cllr(labels, log10_lr) - cllr_min(labels, log10_lr)
