"""Fits the hand-count calibration on composed pages of known writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hand_count_calibration import HandCountCalibration
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.hypothesis_table import HypothesisTable
from handshift.attribution.page_hands import all_hypotheses
from handshift.attribution.variational import MOST
from handshift.attribution.word_evidence import words_of_page
from handshift.bag.pages import PageRows
from handshift.bag.shared_pages import SHORTEST_BLOCK, SharedPage, SharedPages, Sharing
from handshift.calibration import CalibrationError
from handshift.calibration.calibration_data import CalibrationData
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda

Fold = tuple[list[PageRows], Plda]
"""Pages of the held-out writers, and the PLDA of the others."""

WEIGHTS = (0.5, 0.7, 1.0)
"""Grid: how much of an independent word each word counts for."""
RETURN_PRIORS, SCATTERED_PRIORS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6), (1.0, 1e-3, 1e-6, 1e-9)
"""Grid: prior odds of a returning writer, and of scattered words against blocks."""
_RIDGE = 1e-3
_FOLDS = 3
_LARGEST = 20.0
"""Bound of a parameter, ln: a few pages that separate without overlap would have it grow for ever."""


@dataclass(frozen=True, slots=True)
class LabelledEvidence:
    """Evidence for 1 … 5 hands on pages of known number of hands."""

    evidence: Floats
    """(pages, 5)"""
    number: NDArray[np.int64]
    """(pages,) from 1"""
    weight: Floats
    """(pages,) inverse class frequency."""


def calibrate_hands(
    data: CalibrationData, *, each: int = 60, progress: Callable[[str], None] = lambda _: None
) -> HandCountCalibration:
    """Grid search of the HMM settings and multinomial logistic regression of the number of hands.

    Three folds: pages are composed of the words of one third of the writers, and evaluated with the PLDA of
    the others.

    Args:
        data: words of writers that the network was not trained on.
        each: composed pages of every kind.
        progress: receives a line after each step of the grid.

    Returns:
        The calibration of lowest cross-entropy.

    Raises:
        CalibrationError: the pages are too short or too few to compose pages by several writers.
    """
    parts: list[Fold] = []
    for fold in range(_FOLDS):
        own = list(data.writers[fold::_FOLDS])
        others = [writer for writer in data.writers if writer not in own]
        parts.append((data.pages(own), data.covariances(others)))
    length = _typical_length(data)
    tried = []
    for weight in WEIGHTS:
        initial = HmmSettings(weight=weight, length=length)
        pages = list(_analysed(parts, data.vectors, initial, data.seed, each))
        for return_prior, scattered_prior in product(RETURN_PRIORS, SCATTERED_PRIORS):
            settings = replace(initial, return_prior=return_prior, scattered_prior=scattered_prior)
            cost, scale, offset = _fit(_labelled(pages, settings))
            tried.append((cost, settings, scale, offset))
        progress(f"{len(pages)} composed pages evaluated with word weight {weight:g}")
    _, settings, scale, offset = min(tried, key=lambda one: one[0])
    return HandCountCalibration(data.model, data.population, settings, scale, offset)


def _typical_length(data: CalibrationData) -> float:
    """Mean length of the rows."""
    rows = np.concatenate([page.rows for page in data.pages()])
    return round(float(np.linalg.norm(data.vectors[rows], axis=1).mean()), 4)


def page_kinds(pages: SharedPages) -> dict[str, Callable[[], SharedPage]]:
    """Kinds of composed pages by name: one writer, one writer in two sessions, 2 … 5 writers."""
    return {
        "one": lambda: pages.several(1),
        "spliced": pages.spliced,
        "spliced, scattered": lambda: pages.spliced(Sharing.SCATTERED),
        **{str(hands): lambda hands=hands: pages.several(hands) for hands in range(2, MOST + 1)},  # type: ignore[misc]
        "2, scattered": lambda: pages.several(2, Sharing.SCATTERED),
    }


def _analysed(
    parts: Sequence[Fold], vectors: Vectors, settings: HmmSettings, seed: int, each: int
) -> Iterator[tuple[int, HypothesisTable]]:
    """Number of writers and all hypotheses of every composed page."""
    typical = int(np.median([page.rows.size for pages, _ in parts for page in pages]))
    block = min(SHORTEST_BLOCK, max(2, typical // MOST))
    for pages, plda in parts:
        for page in _drawn(SharedPages(pages, seed, block), max(1, each // len(parts))):
            words = words_of_page(vectors[page.rows], plda, settings)
            yield page.count, HypothesisTable.of(all_hypotheses(words, plda, settings))


def _labelled(pages: Sequence[tuple[int, HypothesisTable]], settings: HmmSettings) -> LabelledEvidence:
    number = np.array([count for count, _ in pages], np.int64)
    if not {1, 2} <= set(number.tolist()):
        raise CalibrationError(
            "the number of hands is calibrated on pages of one text by several writers, long enough to be "
            "divided: give such pages"
        )
    evidence = np.array([table.count_evidence(table.log_scores(settings)) for _, table in pages])
    return LabelledEvidence(evidence, number, 1 / np.bincount(number)[number])


def _drawn(pages: SharedPages, each: int) -> Iterator[SharedPage]:
    for draw in page_kinds(pages).values():
        for _ in range(each):
            try:
                yield draw()
            except HandshiftError:  # without second sessions, or with few writers, there are no such pages
                break


def _fit(known: LabelledEvidence) -> tuple[float, float, tuple[float, ...]]:
    """Minimise cross-entropy with a ridge on the offsets; returns cost, scale and offsets.

    Offsets are non-increasing: evidence grows with every hand that is allowed, and nothing above the last
    number competes with it. A number without pages takes the offset of the number before it.
    """
    from scipy.optimize import minimize

    seen = [number for number in range(2, MOST + 1) if (known.number == number).any()]
    columns = [0, *(number - 1 for number in seen)]
    evidence = known.evidence[:, columns] - known.evidence[:, :1]
    truth = np.searchsorted(np.array(columns) + 1, known.number)
    weight = known.weight / known.weight.sum()

    def cost(parameters: Floats) -> float:
        logit = np.exp(min(parameters[0], _LARGEST)) * evidence + _decreasing(parameters[1:])
        top = logit.max(axis=1, keepdims=True)
        log_sum = top[:, 0] + np.log(np.exp(logit - top).sum(axis=1))
        miss = log_sum - logit[np.arange(len(truth)), truth]
        return float(weight @ miss + _RIDGE * np.square(_decreasing(parameters[1:])).sum())

    found = minimize(
        cost, np.append(-1.0, np.zeros(len(seen))), method="Nelder-Mead", options={"maxiter": 8000}
    )
    offset = np.full(MOST, np.nan)
    offset[columns] = _decreasing(found.x[1:])
    for number, following in pairwise(range(MOST)):
        offset[following] = offset[number] if np.isnan(offset[following]) else offset[following]
    return float(found.fun), float(np.exp(min(found.x[0], _LARGEST))), tuple(map(float, offset))


def _decreasing(steps: Floats) -> Floats:
    """0, then lower by exp of each step."""
    return np.append(0.0, -np.cumsum(np.exp(np.minimum(steps, _LARGEST))))
