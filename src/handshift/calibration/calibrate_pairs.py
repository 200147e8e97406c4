"""Fits the calibration of pair comparisons on page pairs of known writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import NormalDist

import numpy as np

from handshift.bag.page_pairs import PagePairs, page_pairs
from handshift.calibration import CalibrationError, LabelledScores
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.elub import elub
from handshift.calibration.logistic import Logistic
from handshift.calibration.pair_calibration import (
    BoundedLine,
    NormalTail,
    PairCalibration,
    PairPropositions,
    SizedLine,
    words_of_pair,
)
from handshift.core.arrays import Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda, log_ratios
from handshift.embedding.prototypes import prototypes
from handshift.metrics import cllr

SIZES = (1, 3, 10, 30, None)
"""Words on either side at which comparisons are calibrated; None stands for whole pages."""
_SHORT = 10
"""Words up to which pages of any length are used."""
LONG_PAGE = 40
"""Words of a page that stands for whole pages. With phrases of 14 words among them, two long pages by two
writers were joined at 5 % on validation writers of CSAFE, at 2 % without them."""
SESSION_FACTORS = (1.0, 2.0, 4.0, 8.0)
"""Grid; pages also differ by their text, which sessions of several texts average out."""
PAGES = ("One person wrote both, on two days.", "Two people wrote them, each one of the two.")
PICTURES = ("Both show one and the same.", "They show two different ones.")
"""The two propositions, for pages and for images of anything else."""
_FEWEST_PAIRS = 20
_RATES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
_EXCEEDANCES = 10
"""Smallest number of scores beyond a quantile that is used."""


def calibrate_pairs(
    data: CalibrationData, *, pairs: int = 600, strangers: int = 6000, claims: tuple[str, str] = PAGES
) -> PairCalibration:
    """Fit the calibration of `log_ratios` scores for sets of several sizes.

    The session variance is multiplied by the factor of lowest Cllr, averaged over sizes. Two folds of writers
    are held out at a time, so that any two writers meet in some part and PLDA was fitted on neither.

    Args:
        data: words of writers that the network was not trained on.
        pairs: pairs of either kind that the curve is fitted on.
        strangers: different-writer pairs for the tail, which describes rare scores.
        claims: the propositions of one writer and of two.

    Raises:
        HandshiftError: there are fewer than 20 pairs of either kind.
    """
    parts = list(held_out_pairs(data))
    tried = []
    for factor in SESSION_FACTORS:
        wider = [(held_out, _widened(covariances, factor)) for held_out, covariances in parts]
        rng = np.random.default_rng(data.seed)
        cost, sizes = _calibrated(wider, data.vectors, (pairs, strangers), rng)
        tried.append((cost, factor, sizes))
    _, factor, sizes = min(tried, key=lambda one: one[0])
    *some_words, pages = sizes
    ascending = (*[size for size in some_words if size.words < pages.words], pages)
    return PairCalibration(data.model, PairPropositions(*claims, data.population), ascending, factor)


Part = tuple[PagePairs, Plda]


def held_out_pairs(data: CalibrationData) -> Iterator[Part]:
    """Page pairs of the writers of two folds, and the PLDA of all others."""
    folds = [held_out for _, held_out in data.folds()]
    for one, two in combinations(folds, 2):
        held_out = [*one, *two]
        others = [writer for writer in data.writers if writer not in held_out]
        yield page_pairs(data.pages(held_out)), data.covariances(others)


def _widened(covariances: Plda, factor: float) -> Plda:
    return replace(covariances, session=covariances.session * factor)


def _calibrated(
    parts: Sequence[Part], vectors: Vectors, wanted: tuple[int, int], rng: np.random.Generator
) -> tuple[float, list[SizedLine]]:
    """A calibration for every size, and their mean Cllr."""
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
        tail = stranger_tail(weights[~truth])
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
    pairs = pairs_of_size(pairs, words)
    same, different = (-(-count // parts) for count in wanted)
    pairs = pairs.drawn(same, different, rng)
    if not len(pairs.at):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    sides = zip(*pairs.word_rows(words, rng), strict=True)
    one, two = (prototypes([vectors[rows] for rows in side]) for side in sides)
    score = log_ratios(one, two, covariances)
    return score[pairs.same], score[~pairs.same], words_of_pair(one.counts, two.counts)


def pairs_of_size(pairs: PagePairs, words: int | None) -> PagePairs:
    """Pairs of which so many words can be compared: of pages of any length for few, of long ones for more."""
    return pairs.at_least(LONG_PAGE) if words is None or words > _SHORT else pairs


def _calibration(same: Floats, different: Floats) -> BoundedLine:
    """Logistic calibration bounded by ELUB; LR = 1 throughout where scores do not rise with the truth."""
    known = LabelledScores.of(same, different)
    try:
        known.require()
        line = Logistic.fit(known)
    except CalibrationError:
        return BoundedLine(0.0, 0.0, 0.0, 0.0)
    return BoundedLine(line.slope, line.offset, *elub(line.log10_lr(known.scores), known.first))


def stranger_tail(weights: Floats) -> NormalTail:
    """Line through the upper quantiles of different-writer scores over the normal deviate of their rate."""
    rates = [rate for rate in _RATES if rate * weights.size >= _EXCEEDANCES]
    if len(rates) < 2:
        return NormalTail(float(weights.mean()), float(max(weights.std(), 1.0)))
    quantiles = np.quantile(weights, [1 - rate for rate in rates])
    deviates = [-NormalDist().inv_cdf(rate) for rate in rates]
    deviation, level = np.polyfit(deviates, quantiles, 1)
    return NormalTail(float(level), float(max(deviation, 0.0)))
