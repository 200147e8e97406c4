"""Samplers of training batches: batch n depends on the seed and on n only, so training can be resumed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.bag.draw import Drawer
from handshift.core.errors import HandshiftError


class FreshBatches:
    """New bags at every step, classes in the proportions of the drawer's plan."""

    def __init__(self, drawer: Drawer, size: int, seed: int) -> None:
        self._drawer, self._size, self._seed = drawer, size, seed

    def batch(self, index: int) -> BagSet:
        """The bags of step `index`."""
        return self._drawer.draw(self._size, np.random.default_rng([self._seed, index]))


class BatchesInTurn:
    """Cycles through several samplers."""

    def __init__(self, kinds: Sequence[FreshBatches]) -> None:
        self._kinds = tuple(kinds)

    def batch(self, index: int) -> BagSet:
        """The bags of step `index`."""
        return self._kinds[index % len(self._kinds)].batch(index)


class FixedBatches:
    """Class-balanced batches of a fixed set, without replacement within an epoch of each class."""

    def __init__(self, bags: BagSet, size: int, seed: int) -> None:
        self._bags, self._seed = bags, seed
        self._classes = np.flatnonzero(bags.label), np.flatnonzero(~bags.label)
        self._halves = size // 2, size - size // 2
        if size < 2 or not all(own.size for own in self._classes):
            raise HandshiftError("a balanced batch needs two bags or more, and a set with both classes")
        self._orders: dict[tuple[int, int], NDArray[np.intp]] = {}

    def indices(self, index: int) -> NDArray[np.intp]:
        """(size,) indices into the set: bags by several hands, then the others."""
        return np.concatenate([self._turn(which, index) for which in (0, 1)])

    def batch(self, index: int) -> BagSet:
        """The bags of step `index`."""
        return self._bags.take(self.indices(index))

    def _turn(self, which: int, index: int) -> NDArray[np.intp]:
        """Positions index·h … (index + 1)·h − 1 in the concatenated shuffled epochs of one class."""
        half, own = self._halves[which], self._classes[which]
        turn, place = np.divmod(np.arange(index * half, (index + 1) * half), own.size)
        parts = [self._order(which, int(number))[place[turn == number]] for number in np.unique(turn)]
        return np.concatenate(parts)

    def _order(self, which: int, turn: int) -> NDArray[np.intp]:
        if (which, turn) not in self._orders:
            # Only the epochs in use are kept: earlier ones are made again from the seed.
            self._orders = {key: order for key, order in self._orders.items() if key[0] != which}
            rng = np.random.default_rng([self._seed, which, turn])
            self._orders[which, turn] = rng.permutation(self._classes[which])
        return self._orders[which, turn]
