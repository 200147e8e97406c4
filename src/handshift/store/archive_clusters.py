"""Which pages of an archive share a hand: agglomerative clustering over each hand's nearest neighbours."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from math import log10

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.document import hand_name
from handshift.attribution.same_writer import Sums
from handshift.core.arrays import Floats
from handshift.store.find_hand import HandSearch
from handshift.store.inverted_file import PROBED
from handshift.store.page_entry import PageEntry

NEIGHBOURS = 24
"""Hands that each is compared with: more than a writer has pages in most collections, and clusters of more
pages are joined through their members."""
ALLOWANCE = 1.25
"""log10 by which a join may fall short of the odds against a pair of hands drawn at random: a hand's nearest
neighbours are no random hands. On writers no model was trained on, among 3,761 pages and among 973, 0.99
of the pairs joined are by one writer, and 0.80 and 0.90 of their pairs are joined; without it 0.04, 0.3."""
LEAST = 1.25
"""log10 LR of a join in collections of up to 600 hands, whose odds ask for less: ``small_collections.py``
among the benchmarks."""


@dataclass(frozen=True, slots=True)
class SharedHand:
    """Pages with a hand in common."""

    members: tuple[tuple[PageEntry, str], ...] = field(repr=False)
    """Page and the letter of its hand, the most words first."""
    words: int
    weakest: float
    """Calibrated log10 LR of the weakest join, before clipping."""

    @property
    def pages(self) -> int:
        """Number of pages; one page may show the hand twice, where it was divided wrongly."""
        return len({(entry.file, entry.page) for entry, _ in self.members})


def default_least(search: HandSearch) -> float:
    """log10 of the odds against one writer for two of n hands, n / 2 to 1, less `ALLOWANCE`, or `LEAST`."""
    return max(LEAST, log10(max(2, int((search.index.hand >= 0).sum())) / 2) - ALLOWANCE)


def shared_hands(search: HandSearch, least: float) -> list[SharedHand]:
    """Group the hands of a store's pages by writer.

    Two clusters are joined while the ratio of one writer against two for all their hands, by the model that
    `verify` and `hands` use, is above `least`; the best pair first. Only pairs among nearest neighbours are
    considered: time grows with the number of hands and not with its square.

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
    page = search.index.page
    shared = [
        _shared(search, numbers, weakest[label])
        for label, numbers in groups.items()
        if len({int(page[number]) for number in numbers}) > 1
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
        near = search.nearest(search.index.prototypes(np.array([hand])), NEIGHBOURS + 1, PROBED)
        others = [place[int(one)] for one in near if int(one) in place and int(one) != hand]
        fresh = [other for other in others if other not in clusters.near[at]]
        for other, weight in zip(fresh, clusters.weights(at, fresh) if fresh else [], strict=True):
            clusters.near[at].add(other)
            clusters.near[other].add(at)
            heap.append((-float(weight), at, other))
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
        beside = list(clusters.near[merged])
        for neighbour, weight in zip(beside, clusters.weights(merged, beside) if beside else [], strict=True):
            heapq.heappush(heap, (-float(weight), merged, neighbour))
    return clusters.labels(), weakest


class _Clusters:
    """Statistics of clusters, whose sum is that of their union; a merged cluster gets a new number."""

    def __init__(self, search: HandSearch, hands: NDArray[np.int64]) -> None:
        self._model = search.comparer.same_writer
        self._rows = list(self._model.sums(search.index.prototypes(hands)).rows)
        self._parent = list(range(len(hands)))
        self._hands = len(hands)
        self.near: list[set[int]] = [set() for _ in hands]

    def alive(self, cluster: int) -> bool:
        return self._parent[cluster] == cluster

    def weights(self, one: int, others: list[int]) -> Floats:
        """(others,) calibrated log10 LR of one writer against two, before clipping."""
        rows = np.stack([self._rows[other] for other in others])
        return self._model.ratios(Sums(self._rows[one][None]), Sums(rows)).weight

    def merge(self, one: int, other: int) -> int:
        merged = len(self._parent)
        self._parent += [merged]
        self._parent[one] = self._parent[other] = merged
        self._rows.append(self._rows[one] + self._rows[other])
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


def _shared(search: HandSearch, numbers: list[int], weakest: float) -> SharedHand:
    index = search.index
    ranked = sorted(numbers, key=lambda number: -float(index.counts[number]))
    entries = search.store.at([index.place(int(index.page[number])) for number in ranked])
    members = tuple(
        (entry, hand_name(int(index.hand[number]))) for entry, number in zip(entries, ranked, strict=True)
    )
    return SharedHand(members, int(sum(index.counts[number] for number in numbers)), weakest)
