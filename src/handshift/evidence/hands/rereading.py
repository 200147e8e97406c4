"""Pages that belong together: hands linked across them, and each read again in the light of the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handshift.detect.covariance import CovarianceModel
from handshift.evidence.hands.context import HandsContext
from handshift.evidence.hands.likelihood import Floats
from handshift.evidence.hands.linking import Labels, Samples, linked
from handshift.evidence.hands.page import PageHands, ReadPage, decided
from handshift.evidence.hands.words import PageWords

STRANGER = 0.02
"""Prior of a hand that wrote part of one page and nothing else in the document, against a known one."""
_FEWEST = 1e-3
"""Words' worth of a hand that no word is ascribed to."""

Linked = tuple[list[PageHands], list[Labels]]
"""The hands of every page, and the person each of them is."""


def read_together(pages: Sequence[ReadPage], model: CovarianceModel, context: HandsContext) -> Linked:
    """Link the hands of pages, and doubt those that turn up on a single page beside another hand.

    Odd words of one page look like a hand of their own now and then, and no other page bears it out. So each
    page of several hands is weighed again, every number of hands by how many of them the document does not
    know from its other pages, and the pages are linked anew.
    """
    told = [page.told for page in pages]
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
    pages: Sequence[ReadPage],
    model: CovarianceModel,
    context: HandsContext,
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
    return decided(page.found, weight / weight.sum())


def _linked(
    told: Sequence[PageHands], pages: Sequence[ReadPage], model: CovarianceModel, context: HandsContext
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
