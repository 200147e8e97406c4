"""How much better do two hands explain a bag than one, for every way of dividing it?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.detect.covariance import CovarianceModel

Floats = NDArray[np.float64]
Members = NDArray[np.bool_]
"""(partitions, words): True for the words of the second hand."""


def log_ratios(projected: Floats, members: Members, model: CovarianceModel) -> Floats:
    """Natural log of p(words | two writers, divided so) / p(words | one writer, perhaps two sessions).

    In each dimension the two groups' means (a, b) are jointly normal with variances β + σ + 1/n_a and
    β + σ + 1/n_b (β writer, σ session, word variance 1); their covariance is 0 for two writers and β for one
    writer in two sessions, β + σ for one session. Scatter inside the groups cancels. (partitions,)
    """
    second = members.sum(axis=1, keepdims=True).astype(np.float64)
    first = members.shape[1] - second
    total = projected.sum(axis=0)
    sums = members.astype(np.float64) @ projected  # (partitions, dimensions)
    b = sums / np.maximum(second, 1)
    a = (total - sums) / np.maximum(first, 1)
    level = model.writer + model.session
    a_variance, b_variance = level + 1 / np.maximum(first, 1), level + 1 / np.maximum(second, 1)
    apart = _log_density(a, b, a_variance, b_variance, np.zeros_like(level))
    spliced = _log_density(a, b, a_variance, b_variance, model.writer)
    together = _log_density(a, b, a_variance, b_variance, level)
    one_hand = np.logaddexp(spliced, together) - np.log(2)
    ratios = np.where((second[:, 0] > 0) & (first[:, 0] > 0), apart - one_hand, 0.0)
    return np.asarray(ratios, np.float64)


def _log_density(a: Floats, b: Floats, a_var: Floats, b_var: Floats, cov: Floats) -> Floats:
    """Log density of the pair of means, up to a constant, summed over the dimensions."""
    determinant = a_var * b_var - cov * cov
    square = (b_var * a * a - 2 * cov * a * b + a_var * b * b) / determinant
    return np.asarray(-0.5 * (np.log(determinant) + square).sum(axis=1))
