"""Which pages of an archive share a hand: agglomerative clustering over each hand's nearest neighbours."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from math import log10

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import hand_name
from handshift.core.arrays import Floats
from handshift.detect.plda import Plda
from handshift.store.find_hand import HandSearch
from handshift.store.page_entry import PageEntry

NEIGHBOURS = 24
"""Hands that each is compared with: more than a writer has pages in most collections, and clusters of more
pages are joined through their members."""


@dataclass(frozen=True, slots=True)
class SharedHand:
    """Pages with a hand in common."""

    members: tuple[tuple[PageEntry, str], ...] = field(repr=False)
    """Page and the letter of its hand, the most words first."""
    words: int
    weakest: float
    """Calibrated log10 LR of the weakest join, before clipping."""


def default_least(search: HandSearch) -> float:
    """log10 of the prior odds against one writer for two of n hands, taken as n / 2 to 1; at least 0.5."""
    return max(0.5, log10(max(2, int((search.index.hand >= 0).sum())) / 2))


def shared_hands(search: HandSearch, least: float) -> list[SharedHand]:
    """Group the hands of a store's pages by writer.

    Two clusters are joined while the PLDA ratio of one writer against two for all their hands, calibrated as
    for `verify`, is above `least`; the best pair first. Only pairs among nearest neighbours are considered:
    time grows with the number of hands and not with its square.

    Args:
        search: The open store.
        least: log10 LR; see `default_least`.

    Returns:
        Clusters of two pages or more, the largest first.
    """
    hands = np.flatnonzero(search.index.hand >= 0)
    if len(hands) < 2:
        return []
    labels, weakest = _join(search, hands, least)
    groups: dict[int, list[int]] = {}
    for hand, label in zip(hands, labels, strict=True):
        groups.setdefault(int(label), []).append(int(hand))
    shared = [
        _shared(search, numbers, weakest[label]) for label, numbers in groups.items() if len(numbers) > 1
    ]
    return sorted(shared, key=lambda one: (-len(one.members), -one.words))


def _join(
    search: HandSearch, hands: NDArray[np.int64], least: float
) -> tuple[NDArray[np.int64], dict[int, float]]:
    """(hands,) cluster of each, and the weakest join of each cluster."""
    clusters = _Clusters(search, hands)
    place = {int(hand): at for at, hand in enumerate(hands)}
    heap: list[tuple[float, int, int]] = []
    for at, hand in enumerate(hands):
        near = search.nearest(search.index.prototypes(np.array([hand])), NEIGHBOURS + 1)
        for other in (place[int(one)] for one in near if int(one) in place):
            if other > at or (other != at and at not in clusters.near[other]):
                clusters.near[at].add(other)
                clusters.near[other].add(at)
                heap.append((-clusters.weight(at, other), at, other))
    heapq.heapify(heap)
    weakest: dict[int, float] = {}
    while heap:
        negative, one, other = heapq.heappop(heap)
        if -negative < least:
            break
        if not (clusters.alive(one) and clusters.alive(other)):
            continue
        merged = clusters.merge(one, other)
        weakest[merged] = min(-negative, weakest.get(one, np.inf), weakest.get(other, np.inf))
        for neighbour in clusters.near[merged]:
            heapq.heappush(heap, (-clusters.weight(merged, neighbour), merged, neighbour))
    return clusters.labels(), weakest


class _Clusters:
    """Sums of precision-weighted means, which say how well one writer explains a cluster.

    A merged cluster gets a new number.
    """

    def __init__(self, search: HandSearch, hands: NDArray[np.int64]) -> None:
        model: Plda = search.comparer.covariances
        known = search.index.prototypes(hands)
        self._context, self._writer = search.comparer.context, model.writer
        precision = 1 / (model.session + 1 / known.counts[:, None])
        self._precision: list[Floats] = list(precision)
        self._weighted: list[Floats] = list(model.project(known.means) * precision)
        self._value = [self._evidence(w, p) for w, p in zip(self._weighted, self._precision, strict=True)]
        self._inverse = list(1 / known.counts)  # of the words of each hand, summed
        self._size = [1] * len(hands)
        self._parent = list(range(len(hands)))
        self._hands = len(hands)
        self.near: list[set[int]] = [set() for _ in hands]

    def alive(self, cluster: int) -> bool:
        return self._parent[cluster] == cluster

    def weight(self, one: int, other: int) -> float:
        """Calibrated log10 LR of one writer against two for the hands of both."""
        both = self._evidence(
            self._weighted[one] + self._weighted[other], self._precision[one] + self._precision[other]
        )
        score = both - self._value[one] - self._value[other]
        words = (self._size[one] + self._size[other]) / (self._inverse[one] + self._inverse[other])
        return float(self._context.weight(score, words))

    def merge(self, one: int, other: int) -> int:
        merged = len(self._parent)
        self._parent += [merged]
        self._parent[one] = self._parent[other] = merged
        self._weighted.append(self._weighted[one] + self._weighted[other])
        self._precision.append(self._precision[one] + self._precision[other])
        self._value.append(self._evidence(self._weighted[-1], self._precision[-1]))
        self._inverse.append(self._inverse[one] + self._inverse[other])
        self._size.append(self._size[one] + self._size[other])
        near = {self._root(neighbour) for neighbour in self.near[one] | self.near[other]} - {merged}
        self.near.append(near)
        for neighbour in near:
            self.near[neighbour].add(merged)
        self.near[one] = self.near[other] = set()
        return merged

    def labels(self) -> NDArray[np.int64]:
        return np.array([self._root(hand) for hand in range(self._hands)], np.int64)

    def _root(self, cluster: int) -> int:
        while self._parent[cluster] != cluster:
            self._parent[cluster] = self._parent[self._parent[cluster]]
            cluster = self._parent[cluster]
        return cluster

    def _evidence(self, weighted: Floats, precision: Floats) -> float:
        """ln p(hands | one writer), up to terms that two hypotheses share."""
        square = weighted * weighted / (precision + 1 / self._writer)
        return float(0.5 * (square - np.log1p(self._writer * precision)).sum())


def _shared(search: HandSearch, numbers: list[int], weakest: float) -> SharedHand:
    index = search.index
    ranked = sorted(numbers, key=lambda number: -float(index.counts[number]))
    entries = search.store.at([index.place(int(index.page[number])) for number in ranked])
    members = tuple(
        (entry, hand_name(int(index.hand[number]))) for entry, number in zip(entries, ranked, strict=True)
    )
    return SharedHand(members, int(sum(index.counts[number] for number in numbers)), weakest)
