"""From a division of a large bag to a better one, word by word."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.partition.bipartition import Bag

_MOST_FLIPS = 60

Members = NDArray[np.bool_]
Prior = Callable[[int, NDArray[np.int64]], Floats]


def hill_climb(bag: Bag, start: Members, log_prior: Prior) -> Members:
    """The best division that single flips reach from `start`, with all its neighbours; (≤ words + 1, words).

    The summit and its neighbours stand for the sum over all divisions, which they bound from below.
    """
    summit = start
    for _ in range(_MOST_FLIPS):
        near = _neighbours(summit)
        best = near[int(np.argmax(log_posteriors(bag, near, log_prior)))]
        if np.array_equal(best, summit):
            break
        summit = best
    return _neighbours(summit)


def log_posteriors(bag: Bag, members: Members, log_prior: Prior) -> Floats:
    """ln prior · p(words | two writers, divided so) / p(words | one writer, one session)."""
    sizes = members.sum(axis=1)
    return bag.log_ratios(members @ bag.words, sizes)[0] + log_prior(bag.size, sizes)


def _neighbours(division: Members) -> Members:
    """Itself and each division one word away from it, as far as the second side is the smaller one."""
    n = division.size
    near = np.vstack([np.zeros((1, n), bool), np.eye(n, dtype=bool)]) ^ division
    sizes = near.sum(axis=1)
    return np.asarray(near[(sizes >= 1) & (sizes <= n // 2)])
