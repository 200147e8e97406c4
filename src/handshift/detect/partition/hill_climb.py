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
    best = start.copy()
    for _ in range(_MOST_FLIPS):
        word = _best_flip(bag, best, log_prior)
        if word is None:
            break
        best[word] = not best[word]
    return _neighbours(best)


def _best_flip(bag: ProjectedBag, members: Members, log_prior: Prior) -> int | None:
    """The word whose change of group raises the posterior most; None where no change does.

    The sums of all neighbours differ from that of ``members`` by one word: of 1,300 words, the product of
    every neighbour with all words takes fifty times as long.
    """
    step = np.where(members, -1, 1)
    sizes = np.append(0, step) + np.count_nonzero(members)
    allowed = np.flatnonzero((sizes >= 1) & (sizes <= bag.size // 2))
    changes = np.vstack([np.zeros_like(bag.words[:1]), step[:, None] * bag.words])
    sums = members @ bag.words + changes[allowed]
    posteriors = bag.log_ratios(sums, sizes[allowed])[0] + log_prior(bag.size, sizes[allowed])
    best = int(allowed[np.argmax(posteriors)])
    return best - 1 if best else None


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
