"""Learning from which evidence on hands of two pages are one person's, from documents of known writers.

Learning what evidence for so many hands means, from pages put together of known writers' words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hand_count_calibration import HandCountCalibration
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.page_hands import all_hypotheses, hand_count_evidence
from handshift.attribution.page_linking import Samples, linked
from handshift.attribution.session_merging import Reading
from handshift.attribution.variational import MOST
from handshift.attribution.word_evidence import words_of_page
from handshift.bag.pages import PageRows
from handshift.bag.shared_pages import SHORTEST_BLOCK, SharedPage, SharedPages, Sharing
from handshift.calibration import CalibrationError
from handshift.calibration.calibration_data import CalibrationData
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda
from handshift.metrics.grouping import pairwise_f1

LINKS, FACTORS = np.arange(-6.0, 12.5, 0.5), (1.0, 2.0, 4.0, 8.0, 16.0)
"""Tried: thresholds of linking, and how much more a person's pages differ than the covariances' sessions.
Far below even odds a hand of few words, of which little is known, would be joined with any other."""
_DOCUMENTS, _PAGES, _PEOPLE = 24, 12, 3

Third = tuple[list[PageRows], Plda]
"""Pages of some writers, and covariances of others."""


def fit_links(
    parts: Sequence[Third], vectors: Vectors, settings: HmmSettings, seed: int
) -> tuple[float, float]:
    """Threshold and session factor that link pages of documents by three writers best: highest mean F1."""
    pages_each = Counter(page.writer for pages, _ in parts for page in pages)
    if sum(count > 1 for count in pages_each.values()) < 2 * _PEOPLE:
        return 0.0, 1.0  # too few writers of several pages to learn from: even odds
    rng = np.random.default_rng(seed)
    score = np.zeros((len(FACTORS), len(LINKS)))
    for _ in range(_DOCUMENTS):
        pages, covariances = parts[int(rng.integers(len(parts)))]
        chosen, truth = _document(pages, rng)
        words = [words_of_page(vectors[page.rows], covariances, settings) for page in chosen]
        counts = np.array([page.count.sum() for page in words])
        means = np.array([page.pull.sum(axis=0) for page in words]) / counts[:, None]
        samples = Samples(means, counts, np.arange(len(words)))
        for row, factor in enumerate(FACTORS):
            found = [linked(samples, covariances, factor, float(link)) for link in LINKS]
            score[row] += [pairwise_f1(truth, labels) for labels in found]
    # A narrow peak is luck: each threshold is judged together with those within two of it.
    level = np.array([np.convolve(row, np.ones(9) / 9, "valid") for row in score])
    row = int(level.max(axis=1).argmax())
    best = np.flatnonzero(level[row] >= level[row].max() - 1e-9)
    return float(LINKS[4:-4][best].mean()), FACTORS[row]


def _document(
    pages: Sequence[PageRows], rng: np.random.Generator
) -> tuple[list[PageRows], NDArray[np.int64]]:
    """Pages by a few people, each page by one, people alike often."""
    by_writer: dict[str, list[PageRows]] = {}
    for page in pages:
        by_writer.setdefault(page.writer, []).append(page)
    rich = sorted(name for name, own in by_writer.items() if len(own) > 1)
    if len(rich) < 2:
        raise CalibrationError("hands are linked on two writers at least with several pages each")
    people = rng.choice(rich, size=min(_PEOPLE, len(rich)), replace=False)
    chosen: list[PageRows] = []
    for name in people:
        own = by_writer[name]
        some = rng.permutation(len(own))[: _PAGES // len(people)]
        chosen += [own[at] for at in some]
    names = np.array([page.writer for page in chosen])
    return chosen, np.asarray(np.unique(names, return_inverse=True)[1], np.int64)


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
    known: CalibrationData, *, each: int = 60, progress: Callable[[str], None] = lambda _: None
) -> HandCountCalibration:
    """Fit on pages of a third of the writers, seen through covariances of the others, three times."""
    parts: list[Third] = []
    for fold in range(_FOLDS):
        own = list(known.writers[fold::_FOLDS])
        others = [writer for writer in known.writers if writer not in own]
        parts.append((known.pages(own), known.covariances(others)))
    length = _typical_length(known)
    tried = []
    for weight in WEIGHTS:
        begun = HmmSettings(weight=weight, length=length)
        pages = list(_read(parts, known.vectors, begun, known.seed, each))
        for again, strewn in product(AGAIN, STREWN):
            settings = replace(begun, again=again, strewn=strewn)
            cost, scale, offset = _fitted(_known(pages, settings))
            tried.append((cost, settings, scale, offset))
        progress(f"{len(pages)} pages told apart, each word counting for {weight:g}")
    _, settings, scale, offset = min(tried, key=lambda one: one[0])
    link, factor = fit_links(parts, known.vectors, settings, known.seed)
    return HandCountCalibration(known.model, known.population, settings, scale, offset, link, factor)


def _typical_length(known: CalibrationData) -> float:
    """The mean length of the rows."""
    rows = np.concatenate([page.rows for page in known.pages()])
    return round(float(np.linalg.norm(known.vectors[rows], axis=1).mean()), 4)


def page_kinds(pages: SharedPages) -> dict[str, Callable[[], SharedPage]]:
    """The pages that hands are counted on, by name; half of those by one hand are spliced from two days."""
    return {
        "one": lambda: pages.several(1),
        "spliced": pages.spliced,
        "spliced, scattered": lambda: pages.spliced(Sharing.SCATTERED),
        **{str(hands): lambda hands=hands: pages.several(hands) for hands in range(2, MOST + 1)},  # type: ignore[misc]
        "2, scattered": lambda: pages.several(2, Sharing.SCATTERED),
    }


def _read(
    parts: Sequence[Third], vectors: Vectors, settings: HmmSettings, seed: int, each: int
) -> Iterator[tuple[int, list[Reading]]]:
    """The number of hands of pages, and every reading of them."""
    typical = int(np.median([page.rows.size for pages, _ in parts for page in pages]))
    block = min(SHORTEST_BLOCK, max(2, typical // MOST))
    for pages, covariances in parts:
        for page in _drawn(SharedPages(pages, seed, block), max(1, each // len(parts))):
            words = words_of_page(vectors[page.rows], covariances, settings)
            yield page.count, all_hypotheses(words, covariances, settings)


def _known(pages: Sequence[tuple[int, list[Reading]]], settings: HmmSettings) -> Known:
    number = np.array([count for count, _ in pages], np.int64)
    if not {1, 2} <= set(number.tolist()):
        raise CalibrationError(
            "hands are counted on pages of one text by several writers, long enough to be shared: give such"
        )
    evidence = np.array([hand_count_evidence(readings, settings).evidence for _, readings in pages])
    return Known(evidence, number, 1 / np.bincount(number)[number])


def _drawn(pages: SharedPages, each: int) -> Iterator[SharedPage]:
    for draw in page_kinds(pages).values():
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
