"""Hill climbing over bipartitions of a large bag, one word at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.partition.bipartition import ProjectedBag

_MOST_FLIPS = 60

Members = NDArray[np.bool_]
Prior = Callable[[int, NDArray[np.int64]], Floats]


def hill_climb(bag: ProjectedBag, start: Members, log_prior: Prior) -> Members:
    """A local maximum reached from `start` by flipping single words, with all its neighbours.

    The maximum and its neighbours approximate the sum over all bipartitions from below.

    Args:
        bag: the projected words.
        start: (words,) members of the second group.
        log_prior: ln prior of bipartitions by bag size and second group sizes.

    Returns:
        (≤ words + 1, words) members of the second group.
    """
    best = start
    for _ in range(_MOST_FLIPS):
        near = _neighbours(best)
        found = near[int(np.argmax(log_posteriors(bag, near, log_prior)))]
        if np.array_equal(found, best):
            break
        best = found
    return _neighbours(best)


def log_posteriors(bag: ProjectedBag, members: Members, log_prior: Prior) -> Floats:
    """ln prior + ln p(words | two writers) / p(words | one writer, one session), for every bipartition."""
    sizes = members.sum(axis=1)
    return bag.log_ratios(members @ bag.words, sizes)[0] + log_prior(bag.size, sizes)


def _neighbours(members: Members) -> Members:
    """The bipartition and those one word away, where the second group is the smaller one."""
    n = members.size
    near = np.vstack([np.zeros((1, n), bool), np.eye(n, dtype=bool)]) ^ members
    sizes = near.sum(axis=1)
    return np.asarray(near[(sizes >= 1) & (sizes <= n // 2)])
