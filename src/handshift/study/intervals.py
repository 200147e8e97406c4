"""Bootstrap intervals over writers or images: would other test material have told the same story?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.metrics import METRICS, UnmeasurableError, draw_groups
from handshift.metrics.bootstrap import percentiles
from handshift.study.items import load_items
from handshift.study.results import OVERALL, Results
from handshift.study.task import ScoredItems

Draws = NDArray[np.float64]


@dataclass(frozen=True)
class UnitInterval:
    """95 % percentile intervals of a figure (mean over seeds) and of its difference to the baseline."""

    metric: str
    group: str
    variant: str
    low: float
    high: float
    delta_low: float
    delta_high: float


def unit_intervals(results: Results) -> list[UnitInterval]:
    """Intervals for every metric, group and variant whose runs kept their scored items.

    All runs of a study are measured on the same drawn units, so that differences are paired.
    """
    record = results.record
    metrics = [name for name in record.metrics if name in METRICS]
    if not record.bootstrap or not metrics:
        return []
    runs = {variant: _items(results.run_folders(variant)) for variant in record.variants}
    everything = [items for by_seed in runs.values() for items in by_seed]
    if not everything or len({tuple(np.unique(items.units)) for items in everything}) != 1:
        return []  # nothing kept, or runs on different units: no common draw exists
    draws = {v: _drawn(by_seed, results, metrics) for v, by_seed in runs.items() if by_seed}
    baseline = draws.get(record.baseline)
    found = []
    for variant, figures in draws.items():
        for (metric, group), values in figures.items():
            low, high = _bounds(values)
            other = None if baseline is None else baseline.get((metric, group))
            delta = (math.nan, math.nan) if other is None else _bounds(values - other)
            found.append(UnitInterval(metric, group, variant, low, high, *delta))
    return found


def _items(folders: dict[int, Path]) -> list[ScoredItems]:
    loaded = (load_items(folder) for folder in folders.values())
    return [items for items in loaded if items is not None]


def _drawn(runs: list[ScoredItems], results: Results, metrics: list[str]) -> dict[tuple[str, str], Draws]:
    """The figure on each draw, mean over seeds: (repeats,) per metric and group, overall from the groups."""
    per_run = [_drawn_run(items, results, metrics) for items in runs]
    figures = {key: np.mean([run[key] for run in per_run], axis=0) for key in per_run[0]}
    if OVERALL in results.columns():
        for metric in metrics:
            groups = [figures[metric, group] for group in results.groups]
            figures[metric, OVERALL] = np.mean(groups, axis=0)
    return figures


def _drawn_run(items: ScoredItems, results: Results, metrics: list[str]) -> dict[tuple[str, str], Draws]:
    repeats = results.record.bootstrap
    samples = draw_groups(items.units, repeats, seed=0)  # one seed: every run gets the same units
    figures = {(metric, group): np.full(repeats, np.nan) for metric in metrics for group in results.groups}
    threshold = 0.0 if items.threshold is None else items.threshold
    for number, sample in enumerate(samples):
        groups = items.groups[sample]
        for group in results.groups:
            part = sample[groups == group]
            for metric in metrics:
                try:
                    value = METRICS[metric].compute(items.labels[part], items.scores[part], threshold)
                except UnmeasurableError:
                    continue  # only one class came up; left out of the interval
                figures[metric, group][number] = value
    return figures


def _bounds(values: Draws) -> tuple[float, float]:
    measured = values[~np.isnan(values)]
    if 2 * measured.size < values.size:
        return math.nan, math.nan
    return percentiles(measured, 0.025)
