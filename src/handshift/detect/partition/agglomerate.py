"""Agglomerative clustering of a bag's words; every cluster of the tree is a candidate second hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.partition.bipartition import ProjectedBag


def agglomerate(bag: ProjectedBag) -> NDArray[np.bool_]:
    """(2·words − 2, words) the members of every cluster below the root, single words first.

    The two clusters whose union gains most likelihood are merged first. A cluster of n words with sum s,
    whose hand has prior variance v, has the log likelihood ratio to independent words

        L(s, n) = ½ Σ_d [v·s² / (1 + n·v) − ln(1 + n·v)],

    and merging two clusters gains L(s + s', n + n') − L(s, n) − L(s', n').
    """
    n = bag.size
    clusters = _Clusters(bag)
    members = np.eye(n, dtype=bool)
    tree = [members.copy()]
    for _ in range(n - 2):
        kept, merged = clusters.best()
        members[kept] |= members[merged]
        clusters.merge(kept, merged)
        tree.append(members[kept][None].copy())
    return np.concatenate(tree)


class _Clusters:
    """The log likelihood ratio of merging any two clusters, updated after each merge."""

    def __init__(self, bag: ProjectedBag) -> None:
        level = bag.model.writer + bag.model.session
        grown = 1 + np.arange(bag.size + 1)[:, None] * level
        self._weight = 0.5 * level / grown  # (words + 1, dimensions)
        self._cost = 0.5 * np.log(grown).sum(axis=1)
        self._sums, self._sizes = bag.words.copy(), np.ones(bag.size, np.int64)
        self._separate = self._likelihood(self._sums, self._sizes)
        x, weight = bag.words, self._weight[2]
        square = (x * x) @ weight
        pair = square[:, None] + square[None, :] + 2 * (x * weight) @ x.T - self._cost[2]
        self._gain = pair - self._separate[:, None] - self._separate[None, :]
        np.fill_diagonal(self._gain, -np.inf)

    def best(self) -> tuple[int, int]:
        kept, merged = divmod(int(np.argmax(self._gain)), len(self._gain))
        return kept, merged

    def merge(self, kept: int, merged: int) -> None:
        self._sums[kept] += self._sums[merged]
        self._sizes[kept] += self._sizes[merged]
        self._gain[merged], self._gain[:, merged] = -np.inf, -np.inf
        self._separate[kept] = self._likelihood(self._sums[kept : kept + 1], self._sizes[kept : kept + 1])[0]
        live = np.flatnonzero(np.isfinite(self._gain[kept]))
        together = self._likelihood(
            self._sums[live] + self._sums[kept], self._sizes[live] + self._sizes[kept]
        )
        self._gain[kept, live] = together - self._separate[live] - self._separate[kept]
        self._gain[live, kept] = self._gain[kept, live]

    def _likelihood(self, sums: Floats, sizes: NDArray[np.int64]) -> Floats:
        return np.asarray((sums * sums * self._weight[sizes]).sum(axis=1) - self._cost[sizes])
