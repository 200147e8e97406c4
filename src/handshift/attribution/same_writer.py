"""One model of "same person or not" for all commands: calibrated PLDA evidence of groups of hands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.pair_calibration import PairCalibration
from handshift.core.arrays import Flags, Floats, Vectors
from handshift.detect.plda import Plda
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes

LN10 = log(10)


@dataclass(frozen=True, slots=True)
class Sums:
    """Sufficient statistics of groups of hands, a row each; the row of a union is the sum of both rows."""

    rows: Floats
    """(groups, 2 · dimensions + 3)"""

    @property
    def linear(self) -> Floats:
        """(groups, dimensions) Σ precision · mean."""
        return self.rows[:, : (self.rows.shape[1] - 3) // 2]

    @property
    def precision(self) -> Floats:
        """(groups, dimensions) Σ 1 / (σ + 1/n)."""
        return self.rows[:, (self.rows.shape[1] - 3) // 2 : -3]

    @property
    def alone(self) -> Floats:
        """(groups,) Σ ln p(hand | a writer of its own)."""
        return self.rows[:, -3]

    @property
    def hands(self) -> Floats:
        """(groups,) how many."""
        return self.rows[:, -2]

    @property
    def words(self) -> Floats:
        """(groups,) harmonic mean of the number of words of a group's hands."""
        return self.rows[:, -2] / self.rows[:, -1]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice | NDArray[np.integer]) -> Sums:
        return Sums(self.rows[rows])

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.rows + other.rows)

    def grouped(self, groups: Flags) -> Sums:
        """Sum rows by (groups, rows) membership."""
        return Sums(groups.astype(np.float64) @ self.rows)


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


@dataclass(frozen=True, slots=True)
class SameWriter:
    """PLDA of words, pages and writers, and the calibration of its scores.

    With each hand's mean x_i of n_i words a draw from N(writer, σ + 1/n_i), and writers from N(0, β),

        score(C) = ln p(x_C | one writer) − Σ ln p(x_i | a writer of its own)
        E(C) / ln 10 = slope(n_C) · score(C) + (|C| − 1) · offset(n_C)

    is the evidence that one person wrote the group C of hands; n_C is the harmonic mean of their words. The
    ratio of two groups is E(A ∪ B) − E(A) − E(B): for two hands, the calibrated score of the pair.
    """

    plda: Plda
    """With the session variance of pages, see `PairCalibration.widened`."""
    calibration: PairCalibration

    @classmethod
    def of(cls, plda: Plda, calibration: PairCalibration) -> SameWriter:
        """From a model's covariances and its comparison.json."""
        return cls(calibration.widened(plda), calibration)

    def sums(self, hands: Prototypes) -> Sums:
        """Statistics of single hands, each a session of its own: a page, or what a person wrote of one."""
        precision = 1 / (self.plda.session + 1 / hands.counts[:, None])
        linear = self.plda.project(hands.means) * precision
        alone = self._value(linear, precision)
        return Sums(np.column_stack([linear, precision, alone, np.ones(len(hands)), 1 / hands.counts]))

    def side(self, pages: Sequence[Vectors], how: Aggregation = Aggregation.MEAN) -> Sums:
        """One group from the word vectors of each page of one person; pages without words are left out."""
        hands = self.sums(prototypes([page for page in pages if len(page)], how))
        return hands.grouped(np.ones((1, len(hands)), bool))

    def score(self, groups: Sums) -> Floats:
        """(groups,) natural log of one writer against a writer for each hand, uncalibrated."""
        return self._value(groups.linear, groups.precision) - groups.alone

    def evidence(self, groups: Sums) -> Floats:
        """(groups,) E(C), natural log; 0 for a single hand."""
        slope, offset = self.calibration.line(groups.words)
        found = LN10 * (slope * self.score(groups) + (groups.hands - 1) * offset)
        return np.asarray(np.where(groups.hands > 1, found, 0.0))

    def ratios(self, one: Sums, two: Sums) -> GroupRatios:
        """One writer against two for pairs of groups; either side may be a single group."""
        both = one + two
        score = self.score(both) - self.score(one) - self.score(two)
        weight = (self.evidence(both) - self.evidence(one) - self.evidence(two)) / LN10
        low, high = self.calibration.bounds(both.words)
        return GroupRatios(score, weight, np.clip(weight, low, high), low, high)

    def _value(self, linear: Floats, precision: Floats) -> Floats:
        """ln p(hands of one writer) up to what does not depend on the grouping."""
        square = linear * linear / (precision + 1 / self.plda.writer)
        return np.asarray(0.5 * (square - np.log1p(self.plda.writer * precision)).sum(axis=1))
