"""Learning what scores of two sets of words mean, from page pairs of known truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from handshift.bag.pages import WordTable, pages_of
from handshift.bag.pairs import PagePairs, page_pairs
from handshift.detect.covariance import CovarianceModel, Vectors
from handshift.detect.pair import log_ratios
from handshift.embed.prototypes import prototypes
from handshift.error import HandshiftError
from handshift.evidence.calibrating import DIMENSIONS, covariances_of, writer_folds
from handshift.evidence.calibration import Calibration, fit_calibration
from handshift.evidence.pair import PairContext, PairPropositions, SizedCalibration, Tail, words_of_pair

Floats = NDArray[np.float64]
SIZES = (1, 3, 10, None)
"""Words on either side at which comparisons are calibrated; the last are whole pages."""
PAGES = ("One person wrote both, on two days.", "Two people wrote them, each one of the two.")
PICTURES = ("Both show one and the same.", "They show two different ones.")
"""The claims compared, one and two, for pages and for pictures of anything else."""
_FEWEST_PAIRS = 20
_RATES = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
_EXCEEDANCES = 10
"""A quantile with fewer scores beyond it is not trusted."""


def calibrate_pairs(
    table: WordTable,
    vectors: Vectors,
    writers: Sequence[str],
    *,
    model: str,
    population: str,
    seed: int,
    dimensions: int = DIMENSIONS,
    pairs: int = 600,
    strangers: int = 6000,
    claims: tuple[str, str] = PAGES,
) -> PairContext:
    """Calibrate on `pairs` pairs of either kind; the strangers' tail on more, for it is about rare cases.

    Two folds of writers are left out at a time, so that each two writers meet in some part and neither is
    known to the covariances.
    """
    rng = np.random.default_rng(seed)
    parts = list(_left_out(table, vectors, writers, seed, dimensions))
    sizes = []
    for words in SIZES:
        scored = [_scores(part, vectors, words, (pairs, strangers), len(parts), rng) for part in parts]
        same, different, count = (np.concatenate(kind) for kind in zip(*scored, strict=True))
        few = min(same.size, different.size)
        if few < _FEWEST_PAIRS:
            raise HandshiftError(
                f"comparisons need {_FEWEST_PAIRS} pairs of pages by one writer and by two, got {few}; "
                "give more writers with several pages each"
            )
        calibration = _calibration(same, rng.permutation(different)[:pairs])
        tail = _tail(calibration.slope * different + calibration.offset)
        sizes.append(SizedCalibration(float(words or np.median(count)), calibration, tail))
    *parts_of_pages, whole = sizes
    sizes = [size for size in parts_of_pages if size.words < whole.words] + [whole]
    return PairContext(model, PairPropositions(*claims, population), tuple(sizes))


Part = tuple[PagePairs, CovarianceModel]


def _left_out(
    table: WordTable, vectors: Vectors, writers: Sequence[str], seed: int, dimensions: int
) -> Iterator[Part]:
    """The page pairs of two folds' writers, and covariances of all others."""
    folds = [held_out for _, held_out in writer_folds(writers, seed)]
    for one, two in combinations(folds, 2):
        held_out = [*one, *two]
        fitted = pages_of(table, [writer for writer in writers if writer not in held_out])
        yield page_pairs(pages_of(table, held_out)), covariances_of(table, vectors, fitted, dimensions)


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


def _calibration(same: Floats, different: Floats) -> Calibration:
    """Logistic regression; scores that do not rise with the truth are given no weight at all."""
    try:
        return fit_calibration(same, different)
    except ValueError:
        return Calibration(0.0, 0.0, 0.0, 0.0)


def _tail(weights: Floats) -> Tail:
    """A straight line through the strangers' upper quantiles, over log10 of how rare they are."""
    rates = [rate for rate in _RATES if rate * weights.size >= _EXCEEDANCES]
    if len(rates) < 2:
        return Tail(float(weights.max()), 1.0)  # a true LR grows tenfold where strangers become so much rarer
    quantiles = np.quantile(weights, [1 - rate for rate in rates])
    decade, level = np.polyfit(-np.log10(rates), quantiles, 1)
    return Tail(float(level), float(max(decade, 0.0)))
