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
from handshift.embedding.crops.writing_size import LETTER_HEIGHT, with_sizes
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes

LN10 = log(10)
_STATISTICS = 4
"""Beside the mean: Σ w, Σ w², Σ w²/n, number of hands."""
_OF_SIZE = 4
"""Columns of the size of writing: Σ u · size, Σ u, Σ u², Σ u²/n."""
_SCALARS = _STATISTICS + _OF_SIZE


@dataclass(frozen=True, slots=True)
class Sums:
    """Sufficient statistics of groups of hands, a row each; the row of a union is the sum of both rows.

    A hand of n words has the weight w = 1 / (s + 1/n), s the mean session variance: a few words count for
    little, a further thousand on one page for no more.
    """

    rows: Floats
    """(groups, dimensions + 8): Σ w · mean, Σ w, Σ w², Σ w²/n, number of hands; then Σ u · size, Σ u, Σ u²,
    Σ u²/n over the hands whose size is known, u their weights by the model of sizes."""

    @property
    def means(self) -> Floats:
        """(groups, dimensions) weighted mean of the hands."""
        return np.asarray(self.rows[:, :-_SCALARS] / self._statistics[:, 0, None])

    @property
    def spread(self) -> Floats:
        """(groups,) Σ w² / (Σ w)²: 1 for one hand, 1/m for m hands of as many words."""
        return np.asarray(self._statistics[:, 1] / np.square(self._statistics[:, 0]))

    @property
    def words(self) -> Floats:
        """(groups,) effective number of words: the variance of the mean from word to word is 1 / words."""
        return np.asarray(np.square(self._statistics[:, 0]) / self._statistics[:, 2])

    @property
    def hands(self) -> Floats:
        """(groups,) how many."""
        return self._statistics[:, 3]

    @property
    def size(self) -> tuple[Floats, Floats, Floats]:
        """(groups,) mean ln mm of the writing, NaN where no hand has one; its `spread` and `words`."""
        linear, total, square, of_words = self.rows[:, -_OF_SIZE:].T
        with np.errstate(divide="ignore", invalid="ignore"):
            return linear / total, square / np.square(total), np.square(total) / of_words

    @property
    def letter_mm(self) -> Floats:
        """(groups,) height of small letters, NaN where no hand has a known size."""
        return LETTER_HEIGHT * np.exp(self.size[0])

    @property
    def _statistics(self) -> Floats:
        return self.rows[:, -_SCALARS:-_OF_SIZE]

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
        rows[:, :-_SCALARS] -= self._statistics[:, 0, None] * common
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
    size: Floats
    """(pairs,) what the size of the writing adds to `weight`; 0 where it is not known on both sides."""


@dataclass(frozen=True, slots=True)
class SameWriter:
    """PLDA of words, pages and writers, and the calibration of its scores.

    The mean of a group of m hands is a draw from N(writer, σ · (ρ + (1 − ρ) · spread) + 1/words), writers are
    draws from N(0, β). ρ is the share of the session variance that the pages of one person in one document
    have in common. With ρ = 0 every page would be a session of its own, and the evidence between two groups
    of pages would grow with their number without end: ten pages of one writer, five of them written with
    another pen, were called two writers though every two of them agreed. For single hands ρ does not matter:
    their ratio is the calibrated score of the pair.

    Where the size of the writing is known on both sides, its own log ratio is added to the calibrated one of
    the vectors, which do not hold it. Rows of words are then one column wider: see `with_sizes`.
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
        means, sizes = self._split(hands.means)
        weight = 1 / (float(self.plda.session.mean()) + 1 / hands.counts)
        vectors = Prototypes(np.asarray(means, np.float64), hands.counts)
        linear = self.plda.project_means(vectors) * weight[:, None]
        square = np.square(weight)
        statistics = [weight, square, square / hands.counts, np.ones(len(hands))]
        return Sums(np.column_stack([linear, *statistics, *self._of_sizes(sizes, hands.counts)]))

    def side(self, pages: Sequence[Vectors], how: Aggregation = Aggregation.MEAN) -> Sums:
        """One group from the word vectors of each page of one person; pages without words are left out."""
        pages = [page for page in pages if len(page)]
        vectors = [self._split(page) for page in pages]
        found = prototypes([own for own, _ in vectors], how)
        sizes = np.array([own.mean() for _, own in vectors])
        hands = self.sums(Prototypes(with_sizes(found.means, sizes), found.counts))
        return hands.grouped(np.ones((1, len(hands)), bool))

    def ratios(self, one: Sums, two: Sums) -> GroupRatios:
        """One writer against two for pairs of groups; either side may be a single group."""
        variances = (self._variance(one), self._variance(two))
        score = log_ratio_of_means((one.means, two.means), variances, self.plda.writer)
        words = words_of_pair(one.words, two.words)
        size = self._size_ratios(one, two)
        weight = self.calibration.weight(score, words) + size
        low, high = self.calibration.bounds(words)
        return GroupRatios(score, weight, np.clip(weight, low, high), low, high, words, size)

    def _split(self, rows: Vectors) -> tuple[Vectors, Floats]:
        """Vectors, and the sizes in the column beside them; NaN where there is no such column."""
        width = self.plda.mean.size
        if rows.shape[1] == width:
            return rows, np.full(len(rows), np.nan)
        return rows[:, :width], np.asarray(rows[:, width], np.float64)

    def _of_sizes(self, sizes: Floats, words: Floats) -> list[Floats]:
        """Columns of `Sums` on sizes; 0 for hands whose size is not known."""
        model, known = self.calibration.size, np.isfinite(sizes)
        if model is None or not known.any():
            return [np.zeros(len(sizes))] * _OF_SIZE
        weight = np.where(known, 1 / (model.page + model.word / words), 0.0)
        square = np.square(weight)
        return [np.where(known, sizes, 0.0) * weight, weight, square, square / words]

    def _size_ratios(self, one: Sums, two: Sums) -> Floats:
        """(pairs,) log10 of the ratio of the sizes alone."""
        model = self.calibration.size
        if model is None:
            return np.zeros(max(len(one), len(two)))
        shared = self.calibration.shared_session
        means, noise = [], []
        for mean, spread, words in (one.size, two.size):
            means.append(mean)
            noise.append(model.page * (shared + (1 - shared) * spread) + model.word / words)
        return model.log_ratios((means[0], means[1]), (noise[0], noise[1])) / LN10

    def _variance(self, groups: Sums) -> Floats:
        """(groups, dimensions) of the means of groups by writers unknown."""
        shared = self.calibration.shared_session
        session = shared + (1 - shared) * groups.spread
        return np.asarray(
            self.plda.writer + self.plda.session * session[:, None] + 1 / groups.words[:, None], np.float64
        )
