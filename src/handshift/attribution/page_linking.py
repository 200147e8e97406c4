"""Hands linked across the pages of a document by agglomerative clustering under PLDA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hand_count_calibration import HandCountCalibration
from handshift.attribution.page_hands import AnalysedPage, PageHands, assign_words
from handshift.attribution.word_evidence import PageWords
from handshift.core.arrays import Floats
from handshift.detect.plda import Plda

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Samples:
    """Mean word of every hand of every page."""

    means: Floats
    """(samples, dimensions), projected."""
    counts: Floats
    """(samples,) number of independent words behind each mean."""
    pages: Labels
    """(samples,) the page each is on, by number."""


def link_hands(samples: Samples, model: Plda, session_factor: float, threshold: float) -> Labels:
    """Agglomerative clustering: merge the two of largest log likelihood ratio while above `threshold`.

    The ratio is ln p(both | one writer) − ln p(both | two writers), each page being a session of its own.
    Hands of one page were separated there already: they are merged only at a ratio above 0.

    Args:
        samples: the hands of all pages.
        model: PLDA with writer and session variances.
        session_factor: factor on the session variance between pages.
        threshold: smallest ratio (natural log) at which clusters are merged.

    Returns:
        (samples,) the writer of each sample, numbered from 0.
    """
    weight = 1 / (model.session * session_factor + 1 / samples.counts[:, None])
    on_page = samples.pages[:, None] == np.unique(samples.pages)  # (samples, pages)
    clusters = _Clusters(samples.means * weight, weight, model.writer, on_page, min(threshold, 0.0))
    labels = np.arange(len(weight))
    while len(np.unique(labels)) > 1:
        kept, merged, gain = clusters.best()
        if gain <= threshold:
            break
        clusters.merge(kept, merged)
        labels[labels == merged] = kept
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


class _Clusters:
    """The log likelihood ratio of merging any two clusters, updated after each merge."""

    def __init__(
        self,
        weighted: Floats,
        precision: Floats,
        writer: Floats,
        pages: NDArray[np.bool_],
        same_page: float,
    ) -> None:
        self._weighted, self._precision, self._writer = weighted.copy(), precision.copy(), writer
        self._pages, self._same_page = pages.copy(), same_page
        self._separate = self._value(weighted, precision)
        self._gain = np.array([self._gains(cluster) for cluster in range(len(weighted))])
        np.fill_diagonal(self._gain, -np.inf)

    def best(self) -> tuple[int, int, float]:
        kept, merged = divmod(int(np.argmax(self._gain)), len(self._gain))
        return kept, merged, float(self._gain[kept, merged])

    def merge(self, kept: int, merged: int) -> None:
        self._weighted[kept] += self._weighted[merged]
        self._precision[kept] += self._precision[merged]
        self._pages[kept] |= self._pages[merged]
        self._separate[kept] = self._value(self._weighted[kept : kept + 1], self._precision[kept : kept + 1])[
            0
        ]
        self._gain[merged], self._gain[:, merged] = -np.inf, -np.inf
        fresh = np.where(np.isfinite(self._gain[kept]), self._gains(kept), -np.inf)
        self._gain[kept], self._gain[:, kept] = fresh, fresh

    def _gains(self, cluster: int) -> Floats:
        """(clusters,) log ratio of merging `cluster` with each."""
        both = self._value(
            self._weighted + self._weighted[cluster], self._precision + self._precision[cluster]
        )
        on_one_page = (self._pages & self._pages[cluster]).any(axis=1)
        return np.asarray(both - self._separate - self._separate[cluster] + self._same_page * on_one_page)

    def _value(self, weighted: Floats, precision: Floats) -> Floats:
        square = weighted * weighted / (precision + 1 / self._writer)
        return np.asarray(0.5 * (square - np.log1p(self._writer * precision)).sum(axis=1))


UNLINKED_PRIOR = 0.02
"""Prior odds of a hand that wrote part of one page and nothing else in the document, against a linked one."""
_FEWEST = 1e-3
"""Words of a hand that no word is assigned to, so that nothing is divided by zero."""

LinkedPages = tuple[list[PageHands], list[Labels]]
"""The hands of every page, and the writer of each of them."""


def link_pages(pages: Sequence[AnalysedPage], model: Plda, calibration: HandCountCalibration) -> LinkedPages:
    """Link the hands of pages, with a lower prior for hands that occur on one page only.

    Unusual words of one page sometimes form a hand of their own that no other page supports. The number of
    hands of each such page is therefore estimated a second time, with the prior `UNLINKED_PRIOR` for every
    hand that is linked to no other page, and all pages are linked again.

    Args:
        pages: the document's pages, each analysed by itself.
        model: PLDA of the word vectors.
        calibration: gives the link threshold and the session factor.

    Returns:
        The hands of every page, and the writer of each hand.
    """
    hands = [page.page_hands for page in pages]
    writers = _link(hands, pages, model, calibration)
    revised = [
        _revise(number, hands, pages, model, calibration) if _has_unlinked(number, writers) else one
        for number, one in enumerate(hands)
    ]
    return revised, _link(revised, pages, model, calibration)


def _has_unlinked(number: int, writers: Sequence[Labels]) -> bool:
    """Whether one of several hands of a page is on no other page."""
    own, elsewhere = set(writers[number].tolist()), _elsewhere(number, writers)
    return bool(elsewhere) and len(own) > 1 and not own <= elsewhere


def _elsewhere(number: int, writers: Sequence[Labels]) -> set[int]:
    """Writers of the other pages."""
    return {int(writer) for at, own in enumerate(writers) if at != number for writer in own}


def _revise(
    number: int,
    hands: Sequence[PageHands],
    pages: Sequence[AnalysedPage],
    model: Plda,
    calibration: HandCountCalibration,
) -> PageHands:
    """Assign a page's words again, every number of hands down-weighted by its unlinked hands."""
    page = pages[number]
    unlinked = np.zeros(page.number.size)
    for count, hypothesis in enumerate(page.found.best):
        if hypothesis is not None:
            tried = [*hands]
            tried[number] = PageHands(page.number, hypothesis.share)
            writers = _link(tried, pages, model, calibration)
            unlinked[count] = len(set(writers[number].tolist()) - _elsewhere(number, writers))
    weight = page.number * UNLINKED_PRIOR**unlinked
    return assign_words(page.found, weight / weight.sum())


def _link(
    hands: Sequence[PageHands],
    pages: Sequence[AnalysedPage],
    model: Plda,
    calibration: HandCountCalibration,
) -> list[Labels]:
    """For every page, the writer of each of its hands."""
    each = [_samples(one, page.words) for one, page in zip(hands, pages, strict=True)]
    means, counts = (np.concatenate(part) for part in zip(*each, strict=True))
    page_of = np.repeat(np.arange(len(hands)), [one.hands for one in hands])
    samples = Samples(means, counts, page_of)
    writer = link_hands(samples, model, calibration.session_factor, calibration.link)
    return np.split(writer, np.cumsum([one.hands for one in hands])[:-1])


def _samples(hands: PageHands, words: PageWords) -> tuple[Floats, Floats]:
    """Mean word of each hand of a page, and the number of independent words behind it."""
    counts = np.maximum(hands.share.T @ words.count, _FEWEST)
    return hands.share.T @ words.linear / counts[:, None], counts
