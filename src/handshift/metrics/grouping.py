"""Clustering metrics: pairwise F1 and assignment error."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def pairwise_f1(truth: ArrayLike, found: ArrayLike) -> float:
    """F1 over all pairs of items of the statement "both are in the same group".

    Args:
        truth: (N,) true group of each item.
        found: (N,) predicted group of each item.

    Returns:
        F1; 1 when neither grouping puts any two items together.

    Raises:
        ValueError: The lengths differ, or there is no item.
    """
    table = _table(truth, found)
    both = _pairs(table).sum()
    in_truth, in_found = _pairs(table.sum(axis=1)).sum(), _pairs(table.sum(axis=0)).sum()
    return float(2 * both / (in_truth + in_found)) if in_truth + in_found else 1.0


def assignment_error(truth: ArrayLike, found: ArrayLike) -> float:
    """Share of items in the wrong group under the best one-to-one matching of groups.

    This is diarisation's error rate without overlap; the matching is found by the Hungarian algorithm.

    Args:
        truth: (N,) true group of each item.
        found: (N,) predicted group of each item.

    Returns:
        The share, between 0 and 1.

    Raises:
        ValueError: The lengths differ, or there is no item.
    """
    from scipy.optimize import linear_sum_assignment

    table = _table(truth, found)
    rows, columns = linear_sum_assignment(-table)
    return float(1 - table[rows, columns].sum() / table.sum())


def _table(truth: ArrayLike, found: ArrayLike) -> NDArray[np.float64]:
    """Contingency table (true groups, found groups)."""
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
