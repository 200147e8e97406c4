"""One model of "same person or not" for all commands: the calibrated PLDA ratio of two groups of hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.pair_calibration import PairCalibration, words_of_pair
from handshift.core.arrays import Flags, Floats, Vectors
from handshift.detect.plda import Plda, log_ratio_of_means
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes

LN10 = log(10)
_SCALARS = 4


@dataclass(frozen=True, slots=True)
class Sums:
    """Sufficient statistics of groups of hands, a row each; the row of a union is the sum of both rows.

    A hand of n words has the weight w = 1 / (s + 1/n), s the mean session variance: a few words count for
    little, a further thousand on one page for no more.
    """

    rows: Floats
    """(groups, dimensions + 4): Σ w · mean, Σ w, Σ w², Σ w²/n, number of hands."""

    @property
    def means(self) -> Floats:
        """(groups, dimensions) weighted mean of the hands."""
        return np.asarray(self.rows[:, :-_SCALARS] / self.rows[:, -4, None])

    @property
    def spread(self) -> Floats:
        """(groups,) Σ w² / (Σ w)²: 1 for one hand, 1/m for m hands of as many words."""
        return np.asarray(self.rows[:, -3] / np.square(self.rows[:, -4]))

    @property
    def words(self) -> Floats:
        """(groups,) effective number of words: the variance of the mean from word to word is 1 / words."""
        return np.asarray(np.square(self.rows[:, -4]) / self.rows[:, -2])

    @property
    def hands(self) -> Floats:
        """(groups,) how many."""
        return self.rows[:, -1]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Sums:
        return Sums(self.rows[rows])

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.rows + other.rows)

    def grouped(self, groups: Flags) -> Sums:
        """Sum rows by (groups, rows) membership."""
        return Sums(groups.astype(np.float64) @ self.rows)

    def centred(self, distant: float) -> Sums:
        """Remove the mean of all groups, shrunk as if `distant` further groups lay at the population's."""
        rows = self.rows.copy()
        common = self.means.mean(axis=0) * len(self) / (len(self) + distant)
        rows[:, :-_SCALARS] -= rows[:, -4, None] * common
        return Sums(rows)


@dataclass(frozen=True, slots=True)
class GroupRatios:
    """One writer against two, for pairs of groups of hands, each group by one person."""

    score: Floats
    """(pairs,) natural log of the uncalibrated ratio."""
    weight: Floats
    """(pairs,) calibrated log10 LR before clipping; its sign decides a link at even prior."""
    log10_lr: Floats
    """(pairs,) clipped to `low` and `high`."""
    low: Floats
    high: Floats
    words: Floats
    """(pairs,) effective number of words at which the score was calibrated."""


@dataclass(frozen=True, slots=True)
class SameWriter:
    """PLDA of words, pages and writers, and the calibration of its scores.

    The mean of a group of m hands is a draw from N(writer, σ · (ρ + (1 − ρ) · spread) + 1/words), writers are
    draws from N(0, β). ρ is the share of the session variance that the pages of one person in one document
    have in common. With ρ = 0 every page would be a session of its own, and the evidence between two groups
    of pages would grow with their number without end: ten pages of one writer, five of them written with
    another pen, were called two writers though every two of them agreed. For single hands ρ does not matter:
    their ratio is the calibrated score of the pair.
    """

    plda: Plda
    """With the session variance of pages and the length of their means, see `PairCalibration.widened`."""
    calibration: PairCalibration

    @classmethod
    def of(cls, plda: Plda, calibration: PairCalibration) -> SameWriter:
        """From a model's covariances and its comparison.json."""
        return cls(calibration.widened(plda), calibration)

    def sums(self, hands: Prototypes) -> Sums:
        """Statistics of single hands: a page, or what a person wrote of one."""
        weight = 1 / (float(self.plda.session.mean()) + 1 / hands.counts)
        linear = self.plda.project_means(hands) * weight[:, None]
        square = np.square(weight)
        return Sums(np.column_stack([linear, weight, square, square / hands.counts, np.ones(len(hands))]))

    def side(self, pages: Sequence[Vectors], how: Aggregation = Aggregation.MEAN) -> Sums:
        """One group from the word vectors of each page of one person; pages without words are left out."""
        hands = self.sums(prototypes([page for page in pages if len(page)], how))
        return hands.grouped(np.ones((1, len(hands)), bool))

    def ratios(self, one: Sums, two: Sums) -> GroupRatios:
        """One writer against two for pairs of groups; either side may be a single group."""
        variances = (self._variance(one), self._variance(two))
        score = log_ratio_of_means((one.means, two.means), variances, self.plda.writer)
        words = words_of_pair(one.words, two.words)
        weight = self.calibration.weight(score, words)
        low, high = self.calibration.bounds(words)
        return GroupRatios(score, weight, np.clip(weight, low, high), low, high, words)

    def _variance(self, groups: Sums) -> Floats:
        """(groups, dimensions) of the means of groups by writers unknown."""
        shared = self.calibration.shared_session
        session = shared + (1 - shared) * groups.spread
        return np.asarray(
            self.plda.writer + self.plda.session * session[:, None] + 1 / groups.words[:, None], np.float64
        )
