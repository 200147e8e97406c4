"""Fits how the size of writing varies, and how much it counts beside the vectors, on known writers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log

import numpy as np

from handshift.bag.page_pairs import PagePairs
from handshift.bag.pages import PageRows
from handshift.calibration.calibrate_pairs import Part, held_out_pairs, pairs_of_size, stranger_tail
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.pair_calibration import NormalTail, PairCalibration, words_of_pair
from handshift.core.arrays import Flags, Floats
from handshift.corpus.databases.record import database_of
from handshift.detect.plda import log_ratios
from handshift.detect.size_model import SizeModel
from handshift.embedding.prototypes import prototypes
from handshift.metrics import cllr

OUTLIERS, PAGE_FACTORS = (0.02, 0.05, 0.1, 0.2), (1.0, 2.0, 3.0, 4.0)
"""Grids, chosen by Cllr; pages also differ by text and paper, which days of several pages average out."""
FEWEST_WRITERS = 10
_SAME, _STRANGERS = 60, 600
"""Pairs of every number of words in each of ten parts; the tail needs many strangers."""


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

    def ratio(self, outliers: float, factor: float) -> Floats:
        """(pairs,) log10 LR with the size, before clipping."""
        model = _widened(self.model, outliers, factor)
        noise = (model.page + model.word / self.words[0], model.page + model.word / self.words[1])
        return np.asarray(self.weight + model.log_ratios(self.size, noise) / log(10))

    def cost(self, outliers: float, factor: float) -> float:
        """Cllr with the size."""
        return cllr(self.same, np.clip(self.ratio(outliers, factor), *self.bounds))

    def cost_without(self) -> float:
        """Cllr of the vectors alone."""
        return cllr(self.same, np.clip(self.weight, *self.bounds))


def calibrate_size(data: CalibrationData, pairs: PairCalibration) -> PairCalibration:
    """Fit the model of sizes beside a calibration of pairs that was made without it.

    The variances are those of all calibration writers whose pages have a known resolution. The share of
    outliers, and a factor on the variance between pages, are those of lowest Cllr over pairs of pages and of
    some words of each, scored by models of other writers.

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
    costs = {
        tried: float(np.mean([np.mean([part.cost(*tried) for part in parts]) for parts in compared]))
        for tried in product(OUTLIERS, PAGE_FACTORS)
    }
    best = min(costs, key=lambda tried: costs[tried])
    without = np.mean([np.mean([part.cost_without() for part in parts]) for parts in compared])
    if costs[best] >= without:
        return replace(pairs, size=None)
    sizes = tuple(
        replace(line, sized_strangers=_strangers(own, *best))
        for line, own in zip(pairs.sizes, compared, strict=True)
    )
    return replace(pairs, sizes=sizes, size=_widened(_fitted(data, _writers(data)), *best))


def _widened(model: SizeModel, outliers: float, factor: float) -> SizeModel:
    return replace(model, outliers=outliers, page=model.page * factor)


def _strangers(compared: Sequence[_Compared], outliers: float, factor: float) -> NormalTail:
    return stranger_tail(np.concatenate([part.ratio(outliers, factor)[~part.same] for part in compared]))


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
    sized = _sized(pairs_of_size(held_out, words), data.sizes).drawn(_SAME, _STRANGERS, rng)
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
