"""Partitions of many hands: agglomerative clustering, then Gibbs sampling of single hands between groups."""

from __future__ import annotations

from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.partition_prior import PartitionPrior
from handshift.attribution.same_writer import Sums
from handshift.core.arrays import Floats

SWEEPS, BURN_IN = 60, 10
"""Over all hands; the probability of the number of writers of 20 pages then varies by .03 between seeds."""
_SEED = 0

Groups = NDArray[np.int64]
"""(hands,) the group of each hand, numbered from 0."""


class GibbsSampler:
    """A partition, and moves under P(partition | hands) ∝ P(partition) · Π exp E(group).

    Groups are rows of sufficient statistics, so that a move costs one evaluation of all groups with the hand
    added.

    Args:
        evidence: of the hands.
        prior: over partitions.
    """

    def __init__(self, evidence: GroupEvidence, prior: PartitionPrior) -> None:
        self._model, self._hand, self._apart = evidence.model, evidence.sums.rows, evidence.apart
        self._count = len(evidence)
        sizes = range(1, self._count + 1)
        self._prior = np.array([0.0, *(log(prior.concentration) + lgamma(size) for size in sizes)])
        self._rng = np.random.default_rng(_SEED)
        self._set(np.arange(self._count))

    @property
    def labels(self) -> Groups:
        """The partition as it stands, groups in order of appearance."""
        return _in_order(self._of)

    def run(self) -> tuple[Groups, Floats, Floats]:
        """Sample; returns the best labels, and the posteriors of pairs and of the number of groups."""
        best, best_value = self._of.copy(), self._value.sum()
        together, number = np.zeros((self._count, self._count)), np.zeros(self._count)
        for sweep in range(SWEEPS):
            self._sweep(greedy=False)
            if self._value.sum() > best_value:
                best, best_value = self._of.copy(), self._value.sum()
            if sweep >= BURN_IN:
                together += self._of[:, None] == self._of
                number[len(self._rows) - 1] += 1
        self._set(best)
        for _ in range(SWEEPS):
            before = self._of.copy()
            self._sweep(greedy=True)
            if (_in_order(self._of) == _in_order(before)).all():
                break
        kept = SWEEPS - BURN_IN
        return _in_order(self._of), together / kept, number / kept

    def agglomerate(self) -> None:
        """Merge the two groups of largest gain while one has any."""
        gain = np.full((self._count, self._count), -np.inf)
        for row in range(1, self._count):
            gain[row, :row] = self._gains(row)[:row]
        while True:
            one, two = divmod(int(gain.argmax()), len(gain))  # two < one
            if not gain[one, two] > 0:
                return
            self._set(np.where(self._of == one, two, self._of - (self._of > one)))
            gain = np.delete(np.delete(gain, one, axis=0), one, axis=1)
            fresh = self._gains(two)
            gain[two, :two], gain[two + 1 :, two] = fresh[:two], fresh[two + 1 :]

    def _gains(self, row: int) -> Floats:
        """(groups,) gain in ln posterior of merging one group with each; −∞ with itself."""
        apart = self._inner + self._inner[row] + self._between(self._of == row)
        gain = self._values(self._rows + self._rows[row], apart) - self._value - self._value[row]
        gain[row] = -np.inf
        return np.asarray(gain)

    def _between(self, hands: NDArray[np.bool_]) -> Floats:
        """(groups,) ln odds, from pages with several hands, against one writer of these and each group's."""
        if self._apart is None:
            return np.zeros(len(self._rows))
        return np.asarray(np.bincount(self._of, hands @ self._apart, len(self._rows)), np.float64)

    def _values(self, rows: Floats, apart: Floats) -> Floats:
        """(groups,) ln evidence and prior of each."""
        groups = Sums(rows)
        size = np.minimum(np.rint(groups.hands).astype(np.int64), self._count)
        return np.asarray(self._model.evidence(groups) - apart + self._prior[size])

    def _set(self, of: Groups) -> None:
        """Take a partition over."""
        self._of = of
        member = of == np.arange(int(of.max()) + 1)[:, None]  # (groups, hands)
        self._rows = member.astype(np.float64) @ self._hand
        within = (
            np.zeros(len(member)) if self._apart is None else ((member @ self._apart) * member).sum(1) / 2
        )
        self._inner = within
        self._value = self._values(self._rows, within)

    def _sweep(self, greedy: bool) -> None:
        """Assign every hand anew given all others, by chance or to its most probable group."""
        for hand in self._rng.permutation(self._count):
            own = np.arange(self._count) == hand
            self._remove(int(hand), own)
            between = self._between(own)
            alone = self._values(self._hand[hand : hand + 1], np.zeros(1))
            joined = self._values(self._rows + self._hand[hand], self._inner + between)
            gain = np.append(joined - self._value, alone)
            chosen = int(gain.argmax()) if greedy else self._drawn(gain)
            self._of[hand] = chosen
            if chosen == len(self._rows):
                self._rows = np.concatenate([self._rows, self._hand[hand : hand + 1]])
                self._inner, self._value = np.append(self._inner, 0.0), np.append(self._value, alone)
            else:
                self._rows[chosen] += self._hand[hand]
                self._inner[chosen] += between[chosen]
                self._value[chosen] = joined[chosen]
        self._set(_in_order(self._of))  # sums anew, so that rounding does not build up

    def _remove(self, hand: int, own: NDArray[np.bool_]) -> None:
        """Take a hand out of its group; a group without hands is dropped."""
        group = int(self._of[hand])
        if (self._of == group).sum() == 1:
            keep = np.arange(len(self._rows)) != group
            self._rows, self._inner, self._value = self._rows[keep], self._inner[keep], self._value[keep]
            self._of = self._of - (self._of > group)
            self._of[hand] = 0  # anywhere: it is assigned next, and its odds with itself are 0
            return
        self._rows[group] -= self._hand[hand]
        self._inner[group] -= self._between(own)[group]
        self._value[group] = self._values(self._rows[group : group + 1], self._inner[group : group + 1])[0]

    def _drawn(self, gain: Floats) -> int:
        chance = np.exp(gain - gain.max())
        return int(np.searchsorted(np.cumsum(chance), self._rng.random() * chance.sum(), side="right"))


def _in_order(of: Groups) -> Groups:
    """Labels in order of first appearance."""
    _, first, inverse = np.unique(of, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], np.int64)
