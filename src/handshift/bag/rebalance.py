"""Class rebalancing by undersampling, with equal numbers of bags for every share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.core.errors import HandshiftError


def rebalanced(bags: BagSet, mixed_per_single: float, rng: np.random.Generator) -> BagSet:
    """The largest subset with `mixed_per_single` mixed bags for each single one, in the old order.

    2 brings the source's 1:4 to 1:2; 1 gives the balanced validation set for choosing a checkpoint.

    Args:
        bags: bags of both classes.
        mixed_per_single: ratio of the classes, above 0.
        rng: chooses the bags to keep.

    Raises:
        HandshiftError: the ratio is not positive, or one class is missing.
    """
    if not mixed_per_single > 0:
        raise HandshiftError(f"a proportion of mixed to single bags is above 0, got {mixed_per_single}")
    mixed, single = np.flatnonzero(bags.label), np.flatnonzero(~bags.label)
    if not mixed.size or not single.size:
        raise HandshiftError("bags of one class alone cannot be balanced; draw some of the other class too")
    fewest = min(single.size, mixed.size / mixed_per_single)
    kept = [
        _evenly(mixed, bags.share[mixed], round(fewest * mixed_per_single), rng),
        _evenly(single, bags.kind[single], round(fewest), rng),
    ]
    return bags.take(np.sort(np.concatenate(kept)))


def _evenly(
    indices: NDArray[np.intp], group: NDArray[np.generic], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """`count` of these indices, round-robin over groups until a group is used up."""
    order = rng.permutation(indices.size)
    names, codes = np.unique(group[order], return_inverse=True)
    turn = np.zeros(indices.size, np.int64)
    for code in range(names.size):
        own = codes == code
        turn[own] = np.arange(np.count_nonzero(own))
    return np.asarray(indices[order[np.argsort(turn, kind="stable")[:count]]])
