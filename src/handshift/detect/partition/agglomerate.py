"""Words joined step by step into a tree; each of its agglomerate may be the other hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.partition.bipartition import Bag


def agglomerate(bag: Bag) -> NDArray[np.bool_]:
    """(2·words − 2, words) the members of every branch below the root, single words first.

    Groups are joined where that costs least likelihood. A group of n words with sum s whose hand has
    variance v in a dimension is exp L times as likely as if all its words stood alone on the mean,

        L(s, n) = ½ Σ_d [v·s² / (1 + n·v) − ln(1 + n·v)],

    and joining two groups gains L(s + s', n + n') − L(s, n) − L(s', n').
    """
    n = bag.size
    gains = _Gains(bag)
    members = np.eye(n, dtype=bool)
    tree = [members.copy()]
    for _ in range(n - 2):
        kept, joined = gains.best()
        members[kept] |= members[joined]
        gains.join(kept, joined)
        tree.append(members[kept][None].copy())
    return np.concatenate(tree)


class _Gains:
    """What joining any two groups would gain, kept up to date as they are joined."""

    def __init__(self, bag: Bag) -> None:
        level = bag.model.writer + bag.model.session
        grown = 1 + np.arange(bag.size + 1)[:, None] * level
        self._weight = 0.5 * level / grown  # (words + 1, dimensions)
        self._cost = 0.5 * np.log(grown).sum(axis=1)
        self._sums, self._sizes = bag.words.copy(), np.ones(bag.size, np.int64)
        self._alone = self._likelihood(self._sums, self._sizes)
        x, weight = bag.words, self._weight[2]
        square = (x * x) @ weight
        pair = square[:, None] + square[None, :] + 2 * (x * weight) @ x.T - self._cost[2]
        self._gain = pair - self._alone[:, None] - self._alone[None, :]
        np.fill_diagonal(self._gain, -np.inf)

    def best(self) -> tuple[int, int]:
        kept, joined = divmod(int(np.argmax(self._gain)), len(self._gain))
        return kept, joined

    def join(self, kept: int, joined: int) -> None:
        """Put `joined` into `kept`."""
        self._sums[kept] += self._sums[joined]
        self._sizes[kept] += self._sizes[joined]
        self._gain[joined], self._gain[:, joined] = -np.inf, -np.inf
        self._alone[kept] = self._likelihood(self._sums[kept : kept + 1], self._sizes[kept : kept + 1])[0]
        live = np.flatnonzero(np.isfinite(self._gain[kept]))
        together = self._likelihood(
            self._sums[live] + self._sums[kept], self._sizes[live] + self._sizes[kept]
        )
        self._gain[kept, live] = together - self._alone[live] - self._alone[kept]
        self._gain[live, kept] = self._gain[kept, live]

    def _likelihood(self, sums: Floats, sizes: NDArray[np.int64]) -> Floats:
        return np.asarray((sums * sums * self._weight[sizes]).sum(axis=1) - self._cost[sizes])
