"""Fits the calibration of pair comparisons on page pairs of known writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

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
from handshift.core.arrays import Flags, Floats, Vectors
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda, log_ratios
from handshift.embedding.mean_length import MeanLength
from handshift.embedding.prototypes import Prototypes, prototypes
from handshift.metrics import cllr

SIZES = (1, 3, 10, 30, None)
"""Words on either side at which comparisons are calibrated; None stands for whole pages."""
_SHORT = 10
"""Words up to which pages of any length are used."""
LONG_PAGE = 40
"""Words of a page that stands for whole pages. With phrases of 14 words among them, two long pages by two
writers were joined at 5 % on validation writers of CSAFE, at 2 % without them."""
SESSION_FACTORS = (0.5, 1.0, 2.0, 4.0, 8.0)
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

    The factor of the session variance, and whether means are brought to one length (see `MeanLength`), are
    those of lowest Cllr, averaged over sizes and databases. Two folds of writers are held out at a time, so
    that any two writers meet in some part and PLDA was fitted on neither. Databases count alike: with every
    pair alike, four writers of CSAFE whose hand changes from day to day moved the line for all.

    Args:
        data: words of writers that the network was not trained on.
        pairs: pairs of either kind that the curve is fitted on.
        strangers: different-writer pairs for the tail, which describes rare scores.
        claims: the propositions of one writer and of two.

    Raises:
        HandshiftError: there are fewer than 20 pairs of either kind.
    """
    parts = list(held_out_pairs(data))
    pages = [data.vectors[page.rows] for page in data.pages()]
    tried = []
    rng = np.random.default_rng(data.seed)
    drawn = [_drawn(parts, data.vectors, words, (pairs, strangers), rng) for words in SIZES]
    for factor, length in product(SESSION_FACTORS, (None, MeanLength.fit(pages))):
        cost, sizes = _calibrated(drawn, factor, length, pairs, data.seed)
        tried.append((cost, factor, length, sizes))
    _, factor, length, sizes = min(tried, key=lambda one: one[0])
    *some_words, whole = sizes
    ascending = (*[size for size in some_words if size.words < whole.words], whole)
    propositions = PairPropositions(*claims, data.population)
    return PairCalibration(data.model, propositions, ascending, factor, length=length)


Part = tuple[PagePairs, Plda]


def held_out_pairs(data: CalibrationData) -> Iterator[Part]:
    """Page pairs of the writers of two folds, and the PLDA of all others."""
    folds = [held_out for _, held_out in data.folds()]
    for one, two in combinations(folds, 2):
        held_out = [*one, *two]
        others = [writer for writer in data.writers if writer not in held_out]
        yield page_pairs(data.pages(held_out)), data.covariances(others)


@dataclass(frozen=True, slots=True)
class _Scored:
    """Pairs of sets with their scores, a row each."""

    score: Floats
    same: Flags
    words: Floats
    database: NDArray[np.str_]

    @property
    def weight(self) -> Floats:
        """(pairs,) by which every database counts alike within either kind, however many pages it has."""
        kind = np.char.add(self.same.astype(str), self.database)
        _, which, often = np.unique(kind, return_inverse=True, return_counts=True)
        return np.asarray(1.0 / often[which])

    def __getitem__(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> _Scored:
        return _Scored(self.score[rows], self.same[rows], self.words[rows], self.database[rows])


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Both sides of page pairs by writers whom the PLDA was not fitted on."""

    one: Prototypes
    two: Prototypes
    same: Flags
    database: NDArray[np.str_]
    covariances: Plda

    def scored(self, factor: float, length: MeanLength | None) -> _Scored:
        """Their scores with the session variance times `factor`, and means of this length."""
        wider = replace(self.covariances, session=self.covariances.session * factor, length=length)
        words = words_of_pair(self.one.counts, self.two.counts)
        return _Scored(log_ratios(self.one, self.two, wider), self.same, words, self.database)


def _drawn(
    parts: Sequence[Part],
    vectors: Vectors,
    words: int | None,
    wanted: tuple[int, int],
    rng: np.random.Generator,
) -> list[_Drawn]:
    """So many pairs of one writer and of two, in every part alike many, of so many words on either side."""
    found = []
    same, different = (-(-count // len(parts)) for count in wanted)
    for held_out, covariances in parts:
        pairs = pairs_of_size(held_out, words).drawn(same, different, rng)
        if len(pairs.at):
            sides = zip(*pairs.word_rows(words, rng), strict=True)
            one, two = (prototypes([vectors[rows] for rows in side]) for side in sides)
            database = np.array([pairs.pages[first].database for first, _ in pairs.at])
            found.append(_Drawn(one, two, pairs.same, database, covariances))
    return found


def _calibrated(
    drawn: Sequence[Sequence[_Drawn]], factor: float, length: MeanLength | None, most: int, seed: int
) -> tuple[float, list[SizedLine]]:
    """A calibration for every size, and their mean Cllr; at most `most` pairs of two writers are fitted."""
    rng = np.random.default_rng(seed)
    sizes, costs = [], []
    for words, pairs in zip(SIZES, drawn, strict=True):
        scored = _joined([one.scored(factor, length) for one in pairs])
        few = min(int(scored.same.sum()), int((~scored.same).sum()))
        if few < _FEWEST_PAIRS:
            raise HandshiftError(
                f"comparisons need {_FEWEST_PAIRS} pairs of pages by one writer and by two, got {few}; "
                "give more writers with several pages each"
            )
        different = rng.permutation(np.flatnonzero(~scored.same))[:most]
        line = _calibration(scored[np.concatenate([np.flatnonzero(scored.same), different])])
        weights = line.slope * scored.score + line.offset
        costs.append(_cost(scored, np.clip(weights, line.lowest, line.highest)))
        tail = stranger_tail(weights[~scored.same], scored[~scored.same].weight)
        sizes.append(SizedLine(float(words or np.median(scored.words)), line, tail))
    return float(np.mean(costs)), sizes


def _joined(parts: Sequence[_Scored]) -> _Scored:
    none = _Scored(np.zeros(0), np.zeros(0, bool), np.zeros(0), np.zeros(0, np.str_))
    columns = zip(*((one.score, one.same, one.words, one.database) for one in (none, *parts)), strict=True)
    score, same, words, database = (np.concatenate(column) for column in columns)
    return _Scored(score, same, words, database)


def pairs_of_size(pairs: PagePairs, words: int | None) -> PagePairs:
    """Pairs of which so many words can be compared: of pages of any length for few, of long ones for more."""
    return pairs.at_least(LONG_PAGE) if words is None or words > _SHORT else pairs


def _calibration(scored: _Scored) -> BoundedLine:
    """Logistic calibration bounded by ELUB; LR = 1 throughout where scores do not rise with the truth."""
    known = LabelledScores(scored.score, scored.same)
    try:
        known.require()
        line = Logistic.fit(known, scored.weight)
    except CalibrationError:
        return BoundedLine(0.0, 0.0, 0.0, 0.0)
    return BoundedLine(line.slope, line.offset, *elub(line.log10_lr(known.scores), known.first))


def _cost(scored: _Scored, log10_lr: Floats) -> float:
    """Cllr, averaged over the databases that have pairs of both kinds."""
    own = [scored.database == name for name in np.unique(scored.database)]
    both = [rows for rows in own if 0 < scored.same[rows].sum() < rows.sum()]
    return float(np.mean([cllr(scored.same[rows], log10_lr[rows]) for rows in both]))


def stranger_tail(weights: Floats, share: Floats | None = None) -> NormalTail:
    """Line through the upper quantiles of different-writer scores over the normal deviate of their rate.

    Args:
        weights: (pairs,) log10 LR before clipping.
        share: (pairs,) how much each counts; all alike if None.
    """
    share = np.ones(weights.size) if share is None else share
    size = share.sum() ** 2 / np.square(share).sum()
    rates = [rate for rate in _RATES if rate * size >= _EXCEEDANCES]
    if len(rates) < 2:
        return NormalTail(float(weights.mean()), float(max(weights.std(), 1.0)))
    quantiles = np.quantile(weights, [1 - rate for rate in rates], method="inverted_cdf", weights=share)
    deviates = [-NormalDist().inv_cdf(rate) for rate in rates]
    deviation, level = np.polyfit(deviates, quantiles, 1)
    return NormalTail(float(level), float(max(deviation, 0.0)))
