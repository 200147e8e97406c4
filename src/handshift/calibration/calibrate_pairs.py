"""Learning what scores of two sets of words mean, from page pairs of known truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from handshift.bag.page_pairs import PagePairs, page_pairs
from handshift.calibration import CalibrationError, LabelledScores
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.elub import elub
from handshift.calibration.logistic import Logistic
from handshift.calibration.pair_calibration import (
    BoundedLine,
    PairCalibration,
    PairPropositions,
    SizedLine,
    Tail,
    words_of_pair,
)
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda, log_ratios
from handshift.embedding.prototypes import prototypes
from handshift.metrics import cllr

SIZES = (1, 3, 10, None)
"""Words on either side at which comparisons are calibrated; the last are whole pages."""
SESSION_FACTORS = (1.0, 2.0, 4.0, 8.0)
"""Tried; pages differ by their text too, which sessions of several texts average away."""
PAGES = ("One person wrote both, on two days.", "Two people wrote them, each one of the two.")
PICTURES = ("Both show one and the same.", "They show two different ones.")
"""The claims compared, one and two, for pages and for pictures of anything else."""
_FEWEST_PAIRS = 20
_RATES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
_EXCEEDANCES = 10
"""A quantile with fewer scores beyond it is not trusted."""


def calibrate_pairs(
    known: CalibrationData, *, pairs: int = 600, strangers: int = 6000, claims: tuple[str, str] = PAGES
) -> PairCalibration:
    """Calibrate on `pairs` pairs of either kind; the strangers' tail on more, for it is about rare cases.

    The session variance is widened by the factor whose calibrated ratios cost least (Cllr, mean over sizes).
    Two folds of writers are left out at a time, so that each two writers meet in some part and neither is
    known to the covariances.
    """
    parts = list(_left_out(known))
    tried = []
    for factor in SESSION_FACTORS:
        wider = [(held_out, _widened(covariances, factor)) for held_out, covariances in parts]
        rng = np.random.default_rng(known.seed)
        cost, sizes = _calibrated(wider, known.vectors, (pairs, strangers), rng)
        tried.append((cost, factor, sizes))
    _, factor, sizes = min(tried, key=lambda one: one[0])
    *some_words, pages = sizes
    ascending = (*[size for size in some_words if size.words < pages.words], pages)
    return PairCalibration(known.model, PairPropositions(*claims, known.population), ascending, factor)


Part = tuple[PagePairs, Plda]


def _left_out(known: CalibrationData) -> Iterator[Part]:
    """The page pairs of two folds' writers, and covariances of all others."""
    folds = [held_out for _, held_out in known.folds()]
    for one, two in combinations(folds, 2):
        held_out = [*one, *two]
        others = [writer for writer in known.writers if writer not in held_out]
        yield page_pairs(known.pages(held_out)), known.covariances(others)


def _widened(covariances: Plda, factor: float) -> Plda:
    return replace(covariances, session=covariances.session * factor)


def _calibrated(
    parts: Sequence[Part], vectors: Vectors, wanted: tuple[int, int], rng: np.random.Generator
) -> tuple[float, list[SizedLine]]:
    """A calibration for every size, and their mean cost (Cllr)."""
    sizes, costs = [], []
    for words in SIZES:
        scored = [_scores(part, vectors, words, wanted, len(parts), rng) for part in parts]
        same, different, count = (np.concatenate(kind) for kind in zip(*scored, strict=True))
        few = min(same.size, different.size)
        if few < _FEWEST_PAIRS:
            raise HandshiftError(
                f"comparisons need {_FEWEST_PAIRS} pairs of pages by one writer and by two, got {few}; "
                "give more writers with several pages each"
            )
        calibration = _calibration(same, rng.permutation(different)[: wanted[0]])
        weights = calibration.slope * np.concatenate([same, different]) + calibration.offset
        truth = np.arange(weights.size) < same.size
        costs.append(cllr(truth, np.clip(weights, calibration.lowest, calibration.highest)))
        tail = _tail(weights[~truth])
        sizes.append(SizedLine(float(words or np.median(count)), calibration, tail))
    return float(np.mean(costs)), sizes


def _scores(
    part: Part,
    vectors: Vectors,
    words: int | None,
    wanted: tuple[int, int],
    parts: int,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """Scores of same and of different writers, and the size of every pair."""
    pairs, covariances = part
    same, different = (-(-count // parts) for count in wanted)
    pairs = pairs.drawn(same, different, rng)
    if not len(pairs.at):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    sides = zip(*pairs.word_rows(words, rng), strict=True)
    one, two = (prototypes([vectors[rows] for rows in side]) for side in sides)
    score = log_ratios(one, two, covariances)
    return score[pairs.same], score[~pairs.same], words_of_pair(one.counts, two.counts)


def _calibration(same: Floats, different: Floats) -> BoundedLine:
    """Logistic regression; scores that do not rise with the truth are given no weight at all."""
    known = LabelledScores.of(same, different)
    try:
        known.require()
        line = Logistic.fit(known)
    except CalibrationError:
        return BoundedLine(0.0, 0.0, 0.0, 0.0)
    return BoundedLine(line.slope, line.offset, *elub(line.log10_lr(known.scores), known.first))


def _tail(weights: Floats) -> Tail:
    """A straight line through the strangers' upper quantiles, over log10 of how rare they are."""
    rates = [rate for rate in _RATES if rate * weights.size >= _EXCEEDANCES]
    if len(rates) < 2:
        return Tail(float(weights.max()), 1.0)  # a true LR grows tenfold where strangers become so much rarer
    quantiles = np.quantile(weights, [1 - rate for rate in rates])
    decade, level = np.polyfit(-np.log10(rates), quantiles, 1)
    return Tail(float(level), float(max(decade, 0.0)))
