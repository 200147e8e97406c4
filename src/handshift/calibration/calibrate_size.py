"""Fits how the size of writing varies, and how much it counts beside the vectors, on known writers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log

import numpy as np

from handshift.bag.page_pairs import PagePairs
from handshift.bag.pages import PageRows
from handshift.calibration.calibrate_pairs import Part, held_out_pairs, pairs_of_size
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.pair_calibration import PairCalibration, words_of_pair
from handshift.core.arrays import Flags, Floats
from handshift.corpus.databases.record import database_of
from handshift.detect.plda import log_ratios
from handshift.detect.size_model import SizeModel
from handshift.embedding.prototypes import prototypes
from handshift.metrics import cllr

OUTLIERS, WEIGHTS = (0.02, 0.05, 0.1, 0.2, 0.3), (0.0, 0.25, 0.5, 0.75, 1.0)
"""Grids, chosen by Cllr."""
FEWEST_WRITERS = 10
_PAIRS = 600
"""Of either kind and every number of words, over all parts."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Pairs of one number of words: the vectors' log10 LR, both sides' sizes and numbers of words."""

    same: Flags
    weight: Floats
    bounds: tuple[Floats, Floats]
    size: tuple[Floats, Floats]
    words: tuple[Floats, Floats]
    model: SizeModel
    """Of writers that wrote neither side."""

    def cost(self, outliers: float, weight: float) -> float:
        """Cllr with the size."""
        model = replace(self.model, outliers=outliers)
        noise = (model.page + model.word / self.words[0], model.page + model.word / self.words[1])
        ratio = self.weight + weight * model.log_ratios(self.size, noise) / log(10)
        return cllr(self.same, np.clip(ratio, *self.bounds))


def calibrate_size(data: CalibrationData, pairs: PairCalibration) -> PairCalibration:
    """Fit the model of sizes beside a calibration of pairs that was made without it.

    The variances are those of all calibration writers whose pages have a known resolution. The share of
    outliers, and a weight for every number of words, are those of lowest Cllr over pairs of pages, or of so
    many words of each, scored by models of other writers.

    Args:
        data: Words of writers that the network was not trained on, with their sizes.
        pairs: The calibration of the vectors' scores.

    Returns:
        The calibration with the model of sizes; without one where fewer than ten writers have a known size,
        or where it does not help.
    """
    if data.sizes is None or len(_writers(data)) < FEWEST_WRITERS:
        return replace(pairs, size=None)
    rng = np.random.default_rng(data.seed)
    parts = list(held_out_pairs(data))
    counts = [*(round(line.words) for line in pairs.sizes[:-1]), None]  # the last is of whole pages
    compared = [
        [found for part in parts if (found := _compared(part, data, pairs, words, rng)) is not None]
        for words in counts
    ]
    if not all(compared):
        return replace(pairs, size=None)
    tried = [_weights(compared, outliers) for outliers in OUTLIERS]
    best = int(np.argmin([cost for cost, _ in tried]))
    weights = tried[best][1]
    if not any(weights):
        return replace(pairs, size=None)
    sizes = tuple(
        replace(line, size_weight=weight) for line, weight in zip(pairs.sizes, weights, strict=True)
    )
    return replace(pairs, sizes=sizes, size=replace(_fitted(data, _writers(data)), outliers=OUTLIERS[best]))


def _weights(compared: Sequence[Sequence[_Compared]], outliers: float) -> tuple[float, list[float]]:
    """For each number of words the weight of lowest Cllr, and the mean of these costs."""
    costs = [
        [float(np.mean([part.cost(outliers, weight) for part in parts])) for weight in WEIGHTS]
        for parts in compared
    ]
    return float(np.mean([min(own) for own in costs])), [WEIGHTS[int(np.argmin(own))] for own in costs]


def _writers(data: CalibrationData) -> list[str]:
    assert data.sizes is not None
    known = set(data.table.writer[np.isfinite(data.sizes)])
    return [writer for writer in data.writers if writer in known]


def _fitted(data: CalibrationData, writers: Sequence[str]) -> SizeModel:
    assert data.sizes is not None
    rows = np.flatnonzero(np.isin(data.table.writer, list(writers)) & np.isfinite(data.sizes))
    writer = data.table.writer[rows]
    population = np.array([database_of(name) for name in writer])
    return SizeModel.fit(
        data.sizes[rows], writer, data.table.session[rows], data.table.page[rows], population
    )


def _compared(
    part: Part,
    data: CalibrationData,
    calibration: PairCalibration,
    words: int | None,
    rng: np.random.Generator,
) -> _Compared | None:
    """Pairs of pages whose sizes are known; None where a part has none of one kind."""
    assert data.sizes is not None
    held_out, covariances = part
    sized = _sized(pairs_of_size(held_out, words), data.sizes).drawn(_PAIRS // 10, _PAIRS // 10, rng)
    if np.unique(sized.same).size < 2:
        return None
    rows = list(zip(*sized.word_rows(words, rng), strict=True))
    one, two = (prototypes([data.vectors[own] for own in side]) for side in rows)
    sizes = [np.array([data.sizes[own].mean() for own in side]) for side in rows]
    count = words_of_pair(one.counts, two.counts)
    score = log_ratios(one, two, calibration.widened(covariances))
    named = set(sized.writers.ravel())
    others = [writer for writer in _writers(data) if writer not in named]
    return _Compared(
        sized.same,
        calibration.weight(score, count),
        calibration.bounds(count),
        (sizes[0], sizes[1]),
        (one.counts, two.counts),
        _fitted(data, others),
    )


def _sized(pairs: PagePairs, sizes: Floats) -> PagePairs:
    def known(page: PageRows) -> bool:
        return bool(np.isfinite(sizes[page.rows]).all())

    both = np.array([known(page) for page in pairs.pages])[pairs.at].all(axis=1)
    return PagePairs(pairs.pages, pairs.at[both], pairs.same[both])
