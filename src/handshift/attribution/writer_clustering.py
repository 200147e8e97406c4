"""Hands grouped by writer: agglomerative clustering by calibrated ratios, the number of writers open."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.link_prior import LinkPrior, number_of_writers
from handshift.attribution.same_writer import LN10, Sums
from handshift.core.arrays import Floats

Labels = NDArray[np.int64]
SWEEPS = 4
"""Rounds in which every hand may move to the group that it fits best; most documents need one."""


@dataclass(frozen=True, slots=True)
class WriterClusters:
    """A partition of hands, with the posterior of the number of groups."""

    labels: Labels
    """(hands,) the writer of each, numbered from 0 in order of appearance."""
    number: Floats
    """(hands,) posterior of 1 … n writers, see `number_of_writers`."""


def cluster_writers(evidence: GroupEvidence, prior: LinkPrior) -> WriterClusters:
    """Group hands by writer.

    The two groups with the highest posterior odds of one writer are merged while the odds are above 1; for
    two hands at even prior that is the sign of their log10 LR. Then every hand may move to a group that it
    fits better, and groups may merge again. The n − 1 merges that hold the document together, those within
    the groups and those that would join them, each have a probability; the number of writers follows.

    Args:
        evidence: of the hands.
        prior: of every link.
    """
    found = _Agglomeration(evidence, prior)
    found.merge()
    for _ in range(SWEEPS):
        if not found.move():
            break
        found.merge()
    labels = found.labels
    return WriterClusters(labels, number_of_writers(_links(evidence, prior, labels)))


def most_probable_writers(evidence: GroupEvidence, prior: LinkPrior) -> Labels:
    """The merges of `cluster_writers` alone, for hundreds of entries.

    Returns:
        (hands,) the writer of each, numbered from 0 in order of appearance.
    """
    found = _Agglomeration(evidence, prior)
    found.merge()
    return found.labels


def _links(evidence: GroupEvidence, prior: LinkPrior, labels: Labels) -> Floats:
    """(hands − 1,) probability of one writer at each merge, first within the groups, then between them."""
    tree = _Agglomeration(evidence, prior)
    gains = [*tree.merge(within=labels), *tree.merge(least=-np.inf)]
    return np.asarray(1 / (1 + np.exp(-np.clip(gains, -500, 500))))


class _Agglomeration:
    """Groups of hands, at first one for each, and the ln posterior odds of one writer for every two."""

    def __init__(self, evidence: GroupEvidence, prior: LinkPrior) -> None:
        self._model, self._prior, self._apart = evidence.model, prior, evidence.apart
        self._hand = evidence.sums.rows
        self._of: Labels = np.arange(len(evidence))

    @property
    def labels(self) -> Labels:
        """(hands,) groups in order of appearance."""
        return _in_order(self._of)

    def merge(self, least: float = 0.0, within: Labels | None = None) -> list[float]:
        """Merge the two groups of largest odds while those exceed `least`.

        Args:
            least: ln odds.
            within: (hands,) merge only hands of one label, whatever their odds.

        Returns:
            ln odds of every merge.
        """
        count = int(self._of.max()) + 1
        rows = _summed(self._hand, self._of, count)
        odds = np.full((count, count), -np.inf)
        for row in range(1, count):
            odds[row, :row] = self._odds(rows[row : row + 1], rows[:row], self._of == row)
        if within is not None:
            group = np.array([within[self._of == own][0] for own in range(count)])
            odds[group[:, None] != group] = -np.inf
            least = -np.inf
        found: list[float] = []
        while len(odds) > 1:
            one, two = divmod(int(odds.argmax()), len(odds))  # two < one
            if not odds[one, two] > least:
                break
            found.append(float(odds[one, two]))
            rows[two] += rows[one]
            rows = np.delete(rows, one, axis=0)
            self._of = np.where(self._of == one, two, self._of - (self._of > one))
            odds = np.delete(np.delete(odds, one, axis=0), one, axis=1)
            fresh = self._odds(rows[two : two + 1], rows, self._of == two)
            if within is not None:
                group = np.delete(group, one)
                fresh[group != group[two]] = -np.inf
            odds[two, :two], odds[two + 1 :, two] = fresh[:two], fresh[two + 1 :]
        return found

    def move(self) -> bool:
        """Move every hand to the group it fits best, or to one of its own; whether one moved."""
        before = self._of.copy()
        for hand in range(len(self._of)):
            own = int(self._of[hand])
            if (self._of == own).sum() == 1:
                continue
            alone = np.arange(len(self._of)) == hand
            rows = _summed(
                self._hand, np.where(alone, int(self._of.max()) + 1, self._of), int(self._of.max()) + 2
            )
            odds = self._odds(self._hand[hand : hand + 1], rows[:-1], alone)
            best = int(odds.argmax())
            if odds[best] <= 0:
                self._of[hand] = int(self._of.max()) + 1
            elif odds[best] > odds[own]:
                self._of[hand] = best
        self._of = _in_order(self._of)
        return bool((self._of != _in_order(before)).any())

    def _odds(self, one: Floats, others: Floats, hands: NDArray[np.bool_]) -> Floats:
        """(others,) ln posterior odds that one person wrote a group of these hands and each other group."""
        odds = LN10 * self._model.ratios(Sums(one), Sums(others)).weight + self._prior.log_odds
        if self._apart is not None:
            # The firmest page counts, not their sum: what divides one page of a person divides others too.
            against = np.zeros(max(len(others), int(self._of.max()) + 1))
            np.maximum.at(against, self._of[~hands], self._apart[np.ix_(hands, ~hands)].max(axis=0))
            odds = odds - against[: len(others)]
        return np.asarray(odds, np.float64)


def _summed(rows: Floats, of: Labels, count: int) -> Floats:
    found = np.zeros((count, rows.shape[1]))
    np.add.at(found, of, rows)
    return found


def _in_order(of: Labels) -> Labels:
    """Labels in order of first appearance."""
    _, first, inverse = np.unique(of, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[inverse], np.int64)
