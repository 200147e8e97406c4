"""How much better do two hands explain a bag than one, if it is divided so?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.detect.covariance import CovarianceModel

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bag:
    """The projected words of one bag, and what every division of it shares."""

    words: Floats
    """(words, dimensions)"""
    model: CovarianceModel

    @property
    def size(self) -> int:
        """Number of words."""
        return len(self.words)

    def log_ratios(self, sums: Floats, sizes: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """ln p(words | two writers, divided so) and ln p(words | one writer in two sessions, divided so).

        Both relative to one writer in one session, which knows no division. `sums` (divisions, dimensions)
        and `sizes` (divisions,) describe the second group. In each dimension the means a, b of the groups
        are jointly normal with variances β + σ + 1/n_a and β + σ + 1/n_b (β writer, σ session; the word
        variance is 1) and covariance 0 for two writers, β for one writer in two sessions, β + σ in one.
        Scatter inside the groups is the same in all three and cancels.
        """
        second = sizes[:, None].astype(np.float64)
        first = self.size - second
        b = sums / second
        a = (self.words.sum(axis=0) - sums) / first
        level = self.model.writer + self.model.session
        pair = (a, b, level + 1 / first, level + 1 / second)
        together = _log_density(*pair, level)
        two_writers = _log_density(*pair, np.zeros_like(level)) - together
        two_sessions = _log_density(*pair, self.model.writer) - together
        return two_writers, two_sessions


def _log_density(a: Floats, b: Floats, a_var: Floats, b_var: Floats, covariance: Floats) -> Floats:
    """Log density of the pair of means, up to a constant, summed over the dimensions."""
    determinant = a_var * b_var - covariance * covariance
    square = (b_var * a * a - 2 * covariance * a * b + a_var * b * b) / determinant
    return np.asarray(-0.5 * (np.log(determinant) + square).sum(axis=1))
