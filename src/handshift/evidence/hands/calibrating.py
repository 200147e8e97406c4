"""Learning what evidence for so many hands means, from pages put together of known writers' words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from handshift.bag.shared import SHORTEST_BLOCK, SharedPage, SharedPages, Sharing
from handshift.detect.covariance import Vectors
from handshift.error import HandshiftError
from handshift.evidence.hands.context import HandsContext
from handshift.evidence.hands.explaining import MOST
from handshift.evidence.hands.likelihood import Floats
from handshift.evidence.hands.link_calibrating import Third, fit_links
from handshift.evidence.hands.page import all_readings, weighed
from handshift.evidence.hands.people import Reading
from handshift.evidence.hands.settings import Settings
from handshift.evidence.hands.words import words_of_page
from handshift.evidence.known import KnownWords
from handshift.evidence.lr import CalibrationError

WEIGHTS = (0.5, 0.7, 1.0)
"""Tried: how much of an independent word each word counts for."""
AGAIN, STREWN = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6), (1.0, 1e-3, 1e-6, 1e-9)
"""Tried: priors of a person's sitting down again, and of words here and there."""
_RIDGE = 1e-3
_FOLDS = 3


@dataclass(frozen=True, slots=True)
class Known:
    """Evidence for 1 … 5 hands on pages whose number is known."""

    evidence: Floats
    """(pages, 5)"""
    number: NDArray[np.int64]
    """(pages,) from 1"""
    weight: Floats
    """(pages,) such that every number counts alike."""


def calibrate_hands(
    known: KnownWords, *, each: int = 60, progress: Callable[[str], None] = lambda _: None
) -> HandsContext:
    """Fit on pages of a third of the writers, seen through covariances of the others, three times."""
    parts: list[Third] = []
    for fold in range(_FOLDS):
        own = list(known.writers[fold::_FOLDS])
        others = [writer for writer in known.writers if writer not in own]
        parts.append((known.pages(own), known.covariances(others)))
    length = _typical_length(known)
    tried = []
    for weight in WEIGHTS:
        begun = Settings(weight=weight, length=length)
        pages = list(_read(parts, known.vectors, begun, known.seed, each))
        for again, strewn in product(AGAIN, STREWN):
            settings = replace(begun, again=again, strewn=strewn)
            cost, scale, offset = _fitted(_known(pages, settings))
            tried.append((cost, settings, scale, offset))
        progress(f"{len(pages)} pages told apart, each word counting for {weight:g}")
    _, settings, scale, offset = min(tried, key=lambda one: one[0])
    link, factor = fit_links(parts, known.vectors, settings, known.seed)
    return HandsContext(known.model, known.population, settings, scale, offset, link, factor)


def _typical_length(known: KnownWords) -> float:
    """The mean length of the rows."""
    rows = np.concatenate([page.rows for page in known.pages()])
    return round(float(np.linalg.norm(known.vectors[rows], axis=1).mean()), 4)


def kinds_of(pages: SharedPages) -> dict[str, Callable[[], SharedPage]]:
    """The pages that hands are counted on, by name; half of those by one hand are spliced from two days."""
    return {
        "one": lambda: pages.several(1),
        "spliced": pages.spliced,
        "spliced, scattered": lambda: pages.spliced(Sharing.SCATTERED),
        **{str(hands): lambda hands=hands: pages.several(hands) for hands in range(2, MOST + 1)},  # type: ignore[misc]
        "2, scattered": lambda: pages.several(2, Sharing.SCATTERED),
    }


def _read(
    parts: Sequence[Third], vectors: Vectors, settings: Settings, seed: int, each: int
) -> Iterator[tuple[int, list[Reading]]]:
    """The number of hands of pages, and every reading of them."""
    typical = int(np.median([page.rows.size for pages, _ in parts for page in pages]))
    block = min(SHORTEST_BLOCK, max(2, typical // MOST))
    for pages, covariances in parts:
        for page in _drawn(SharedPages(pages, seed, block), max(1, each // len(parts))):
            words = words_of_page(vectors[page.rows], covariances, settings)
            yield page.count, all_readings(words, covariances, settings)


def _known(pages: Sequence[tuple[int, list[Reading]]], settings: Settings) -> Known:
    number = np.array([count for count, _ in pages], np.int64)
    if not {1, 2} <= set(number.tolist()):
        raise CalibrationError(
            "hands are counted on pages of one text by several writers, long enough to be shared: give such"
        )
    evidence = np.array([weighed(readings, settings).evidence for _, readings in pages])
    return Known(evidence, number, 1 / np.bincount(number)[number])


def _drawn(pages: SharedPages, each: int) -> Iterator[SharedPage]:
    for draw in kinds_of(pages).values():
        for _ in range(each):
            try:
                yield draw()
            except (
                HandshiftError
            ):  # a collection without second sessions, or of few writers, has no such pages
                break


def _fitted(known: Known) -> tuple[float, float, tuple[float, ...]]:
    """Least cross-entropy, a little ridge on the offsets; numbers never seen keep the offset before them.

    Offsets never rise: evidence grows with every hand that is allowed, and the last number has none above it
    to lose pages to.
    """
    from scipy.optimize import minimize

    seen = [number for number in range(2, MOST + 1) if (known.number == number).any()]
    columns = [0, *(number - 1 for number in seen)]
    evidence = known.evidence[:, columns] - known.evidence[:, :1]
    truth = np.searchsorted(np.array(columns) + 1, known.number)
    weight = known.weight / known.weight.sum()

    def cost(parameters: Floats) -> float:
        logit = np.exp(parameters[0]) * evidence + _falling(parameters[1:])
        top = logit.max(axis=1, keepdims=True)
        log_sum = top[:, 0] + np.log(np.exp(logit - top).sum(axis=1))
        miss = log_sum - logit[np.arange(len(truth)), truth]
        return float(weight @ miss + _RIDGE * np.square(_falling(parameters[1:])).sum())

    found = minimize(
        cost, np.append(-1.0, np.zeros(len(seen))), method="Nelder-Mead", options={"maxiter": 8000}
    )
    offset = np.full(MOST, np.nan)
    offset[columns] = _falling(found.x[1:])
    for number, following in pairwise(range(MOST)):
        offset[following] = offset[number] if np.isnan(offset[following]) else offset[following]
    return float(found.fun), float(np.exp(found.x[0])), tuple(map(float, offset))


def _falling(steps: Floats) -> Floats:
    """0, and then lower by exp of each step."""
    return np.append(0.0, -np.cumsum(np.exp(steps)))
