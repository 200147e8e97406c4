"""PLDA likelihood ratios of one bipartition of a bag, as quadratic forms in the second group's sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.plda import Plda


@dataclass(frozen=True)
class ProjectedBag:
    """The projected words of one bag, and the terms that all its bipartitions share."""

    words: Floats
    """(words, dimensions)"""
    model: Plda

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.words)

    @cached_property
    def forms(self) -> QuadraticForms:
        """The log ratios as quadratic forms in the second group's sum, one for each of its sizes."""
        return _forms(self.words.sum(axis=0), self.size, self.model)

    def log_ratios(self, sums: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Log ratios of two writers, and of one writer in two sessions, for given bipartitions.

        Both relative to one writer in one session. In each dimension the means a, b of the groups
        are jointly normal with variances β + σ + 1/n_a and β + σ + 1/n_b (β writer, σ session; the word
        variance is 1) and covariance 0 for two writers, β for one writer in two sessions, β + σ in one.
        Scatter within the groups is the same in all three and cancels.

        Args:
            sums: (bipartitions, dimensions) sum of the second group.
            sizes: (bipartitions,) words of the second group.

        Returns:
            (bipartitions,) log ratios for two writers and for two sessions.
        """
        ratios = np.empty((len(sums), 2))
        order = np.argsort(sizes, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(sizes[order])) + 1):
            ratios[group] = self.forms.at(sums[group], int(sizes[group[0]]))
        return ratios[:, 0], ratios[:, 1]


@dataclass(frozen=True, slots=True)
class QuadraticForms:
    """ln ratio(s) = Σ_d square_d·s_d² + linear_d·s_d + constant, for a second group of k words with sum s.

    Row k − 1 belongs to size k; the last axis holds two writers and two sessions.
    """

    square: Floats
    """(words − 1, dimensions, 2)"""
    linear: Floats
    """(words − 1, dimensions, 2)"""
    constant: Floats
    """(words − 1, 2)"""

    def at(self, sums: Floats, size: int) -> Floats:
        """(bipartitions, dimensions) → (bipartitions, 2), all of one size."""
        row = size - 1
        return np.asarray((sums * sums) @ self.square[row] + sums @ self.linear[row] + self.constant[row])


def _forms(total: Floats, size: int, model: Plda) -> QuadraticForms:
    second = np.arange(1.0, size)[:, None]
    first = size - second
    level = model.writer + model.session
    together = _log_density(total, first, second, level, level)
    apart = _log_density(total, first, second, level, np.zeros_like(level))
    spliced = _log_density(total, first, second, level, model.writer)
    square, linear, constant = (
        np.stack([two - one, days - one], axis=-1)
        for one, two, days in zip(together, apart, spliced, strict=True)
    )
    return QuadraticForms(square, linear, constant.sum(axis=1))


def _log_density(
    total: Floats, first: Floats, second: Floats, level: Floats, covariance: Floats
) -> tuple[Floats, Floats, Floats]:
    """Coefficients of s², s and 1 in the log density of the pair of means a = (T − s)/n_a, b = s/n_b.

    With variances A = level + 1/n_a and B = level + 1/n_b, covariance c and D = AB − c², up to a constant
    ln p = −½ [ln D + (B·a² − 2c·ab + A·b²) / D].
    """
    a_var, b_var = level + 1 / first, level + 1 / second
    determinant = a_var * b_var - covariance * covariance
    aa, ab, bb = b_var / determinant, covariance / determinant, a_var / determinant
    square = aa / first**2 + 2 * ab / (first * second) + bb / second**2
    linear = -2 * total * (aa / first**2 + ab / (first * second))
    return -0.5 * square, -0.5 * linear, -0.5 * (np.log(determinant) + aa * (total / first) ** 2)
