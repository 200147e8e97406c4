"""Two sets of words: how much better does one hand explain them than two?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.detect.covariance import CovarianceModel
from handshift.embed.prototypes import Prototypes


def log_ratios(one: Prototypes, others: Prototypes, model: CovarianceModel) -> NDArray[np.float64]:
    """ln p(a, b | one writer in two sessions) − ln p(a, b | two writers); high where the hands agree.

    `one` and `others` have equally many rows, or `one` has a single row. In each projected dimension the
    means of a and b are normal with variances v = β + σ + 1/n (β writer, σ session, n words of variance 1)
    and covariance β for one writer, 0 for two. With x, y the means over √v and ρ = β/√(v_a·v_b),

        ln LR = −½ Σ [ln(1 − ρ²) + (ρ²(x² + y²) − 2ρxy) / (1 − ρ²)]
    """
    level = model.writer + model.session
    a_var, b_var = level + 1 / one.counts[:, None], level + 1 / others.counts[:, None]
    x = model.project(one.means) / np.sqrt(a_var)  # (1 or pairs, dimensions)
    y = model.project(others.means) / np.sqrt(b_var)  # (pairs, dimensions)
    rho = model.writer / np.sqrt(a_var * b_var)
    free = 1 - rho * rho
    square = (rho * rho * (x * x + y * y) - 2 * rho * x * y) / free
    return np.asarray(-0.5 * (np.log(free) + square).sum(axis=1))
