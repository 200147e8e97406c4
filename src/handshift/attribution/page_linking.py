"""Which hands of different pages are one: "hand B of page 3 is hand A of page 7".

Pages that belong together: hands linked across them, and each read again in the light of the others.
"""

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
    """What each page's hands look like."""

    means: Floats
    """(samples, dimensions), projected."""
    counts: Floats
    """(samples,) independent words' worth."""
    pages: Labels
    """(samples,) the page each is on, by number."""


def linked(samples: Samples, model: Plda, session_factor: float, threshold: float) -> Labels:
    """(samples,) the person each sample is ascribed to, by number.

    Groups of samples are joined, the likeliest two first, as long as ln p(both | one writer) −
    ln p(both | two writers) exceeds `threshold`; each page is a session of its own. Hands of one page have
    been told apart there already: they are joined only where one writer is the better explanation.
    """
    weight = 1 / (model.session * session_factor + 1 / samples.counts[:, None])
    beside = samples.pages[:, None] == np.unique(samples.pages)  # (samples, pages)
    groups = _Groups(samples.means * weight, weight, model.writer, beside, min(threshold, 0.0))
    labels = np.arange(len(weight))
    while len(np.unique(labels)) > 1:
        kept, gone, gain = groups.best()
        if gain <= threshold:
            break
        groups.join(kept, gone)
        labels[labels == gone] = kept
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


class _Groups:
    """What joining any two groups would gain, kept up to date as they are joined."""

    def __init__(
        self,
        pulled: Floats,
        precision: Floats,
        writer: Floats,
        pages: NDArray[np.bool_],
        together: float,
    ) -> None:
        self._pulled, self._precision, self._writer = pulled.copy(), precision.copy(), writer
        self._pages, self._together = pages.copy(), together
        self._alone = self._value(pulled, precision)
        self._gain = np.array([self._with(group) for group in range(len(pulled))])
        np.fill_diagonal(self._gain, -np.inf)

    def best(self) -> tuple[int, int, float]:
        kept, gone = divmod(int(np.argmax(self._gain)), len(self._gain))
        return kept, gone, float(self._gain[kept, gone])

    def join(self, kept: int, gone: int) -> None:
        """Put `gone` into `kept`."""
        self._pulled[kept] += self._pulled[gone]
        self._precision[kept] += self._precision[gone]
        self._pages[kept] |= self._pages[gone]
        self._alone[kept] = self._value(self._pulled[kept : kept + 1], self._precision[kept : kept + 1])[0]
        self._gain[gone], self._gain[:, gone] = -np.inf, -np.inf
        fresh = np.where(np.isfinite(self._gain[kept]), self._with(kept), -np.inf)
        self._gain[kept], self._gain[:, kept] = fresh, fresh

    def _with(self, group: int) -> Floats:
        """(groups,) what joining `group` with each would gain."""
        both = self._value(self._pulled + self._pulled[group], self._precision + self._precision[group])
        on_one_page = (self._pages & self._pages[group]).any(axis=1)
        return np.asarray(both - self._alone - self._alone[group] + self._together * on_one_page)

    def _value(self, pulled: Floats, precision: Floats) -> Floats:
        square = pulled * pulled / (precision + 1 / self._writer)
        return np.asarray(0.5 * (square - np.log1p(self._writer * precision)).sum(axis=1))


STRANGER = 0.02
"""Prior of a hand that wrote part of one page and nothing else in the document, against a known one."""
_FEWEST = 1e-3
"""Words' worth of a hand that no word is ascribed to."""

Linked = tuple[list[PageHands], list[Labels]]
"""The hands of every page, and the person each of them is."""


def link_pages(pages: Sequence[AnalysedPage], model: Plda, context: HandCountCalibration) -> Linked:
    """Link the hands of pages, and doubt those that turn up on a single page beside another hand.

    Odd words of one page look like a hand of their own now and then, and no other page bears it out. So each
    page of several hands is weighed again, every number of hands by how many of them the document does not
    know from its other pages, and the pages are linked anew.
    """
    told = [page.page_hands for page in pages]
    people = _linked(told, pages, model, context)
    again = [
        _told_again(number, told, pages, model, context) if _has_stranger(number, people) else one
        for number, one in enumerate(told)
    ]
    return again, _linked(again, pages, model, context)


def _has_stranger(number: int, people: Sequence[Labels]) -> bool:
    """Whether one of several hands of a page is on no other page."""
    elsewhere = {int(person) for at, own in enumerate(people) if at != number for person in own}
    return bool(elsewhere) and len(set(people[number].tolist())) > 1 and not set(people[number]) <= elsewhere


def _told_again(
    number: int,
    told: Sequence[PageHands],
    pages: Sequence[AnalysedPage],
    model: Plda,
    context: HandCountCalibration,
) -> PageHands:
    page = pages[number]
    strangers = np.zeros(page.number.size)
    for hands, reading in enumerate(page.found.best):
        if reading is not None:
            tried = [*told]
            tried[number] = PageHands(page.number, reading.share)
            people = _linked(tried, pages, model, context)
            elsewhere = {int(person) for at, own in enumerate(people) if at != number for person in own}
            strangers[hands] = len({int(person) for person in people[number]} - elsewhere)
    weight = page.number * STRANGER**strangers
    return assign_words(page.found, weight / weight.sum())


def _linked(
    told: Sequence[PageHands], pages: Sequence[AnalysedPage], model: Plda, context: HandCountCalibration
) -> list[Labels]:
    """For every page, the person of each of its hands."""
    each = [_samples(one, page.words) for one, page in zip(told, pages, strict=True)]
    means, counts = (np.concatenate(part) for part in zip(*each, strict=True))
    on = np.repeat(np.arange(len(told)), [one.hands for one in told])
    person = linked(Samples(means, counts, on), model, context.session_factor, context.link)
    return np.split(person, np.cumsum([one.hands for one in told])[:-1])


def _samples(told: PageHands, words: PageWords) -> tuple[Floats, Floats]:
    """What each hand of a page looks like, and of how many words' worth that is known."""
    counts = np.maximum(told.share.T @ words.count, _FEWEST)
    return told.share.T @ words.pull / counts[:, None], counts
