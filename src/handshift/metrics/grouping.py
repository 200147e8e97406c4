"""How well things are grouped: pairs rightly put together, and words rightly ascribed."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pairwise_f1(truth: ArrayLike, found: ArrayLike) -> float:
    """F1 of "these two belong together" over all pairs; 1 where neither side puts any together."""
    table = _table(truth, found)
    both = _pairs(table).sum()
    true, told = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    return float(2 * both / (true + told)) if true + told else 1.0


def assignment_error(truth: ArrayLike, found: ArrayLike) -> float:
    """Share of items in the wrong group, groups being named as it suits best (diarisation's error)."""
    from scipy.optimize import linear_sum_assignment

    table = _table(truth, found)
    rows, columns = linear_sum_assignment(-table)
    return float(1 - table[rows, columns].sum() / table.sum())


def _table(truth: ArrayLike, found: ArrayLike) -> NDArray[np.float64]:
    """(true groups, found groups) how many items each two share."""
    rows, columns = (np.unique(np.asarray(side), return_inverse=True)[1] for side in (truth, found))
    if rows.shape != columns.shape or not rows.size:
        raise ValueError(
            f"{rows.size} true and {columns.size} found groups: wanted equally many, one at least"
        )
    table = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(table, (rows, columns), 1.0)
    return table


def _pairs(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return counts * (counts - 1) / 2
