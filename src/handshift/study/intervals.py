"""Bootstrap intervals over writers or images: would other test material have told the same story?"""

from __future__ import annotations

import math
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from handshift.metrics import METRICS, Sample, UnmeasurableError, draw_counts
from handshift.metrics.bootstrap import percentiles
from handshift.study.items import load_items
from handshift.study.results import OVERALL, Results
from handshift.study.task import ScoredItems

Draws = NDArray[np.float64]
Figures = dict[tuple[str, str], Draws]
"""By metric and group, the figure on each draw, (repeats,)."""


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
    runs = [(name, at) for name in record.variants for at in results.run_folders(name).values()]
    if not record.bootstrap or not metrics:
        return []
    units, draws = None, defaultdict[str, list[Figures]](list)
    for variant, folder in track(runs, "drawing units again", console=Console(stderr=True), transient=True):
        items = load_items(folder)
        if items is None:
            continue
        names, unit = np.unique(items.units, return_inverse=True)
        units = names if units is None else units
        if not np.array_equal(units, names):
            return []  # runs on different units: no common draw exists
        draws[variant].append(_drawn_run(items, unit, names.size, results, metrics))
    means = {variant: _over_seeds(by_seed, results, metrics) for variant, by_seed in draws.items()}
    return _intervals(means, record.baseline)


def _intervals(draws: dict[str, Figures], baseline: str) -> list[UnitInterval]:
    found = []
    for variant, figures in draws.items():
        for (metric, group), values in figures.items():
            low, high = _bounds(values)
            other = draws[baseline].get((metric, group)) if baseline in draws else None
            delta = (math.nan, math.nan) if other is None else _bounds(values - other)
            found.append(UnitInterval(metric, group, variant, low, high, *delta))
    return found


def _over_seeds(runs: list[Figures], results: Results, metrics: list[str]) -> Figures:
    """The mean over seeds on each draw; overall from the groups."""
    figures = {key: np.mean([run[key] for run in runs], axis=0) for key in runs[0]}
    if OVERALL in results.columns():
        for metric in metrics:
            groups = [figures[metric, group] for group in results.groups]
            figures[metric, OVERALL] = np.mean(groups, axis=0)
    return figures


def _drawn_run(
    items: ScoredItems, unit: NDArray[np.intp], units: int, results: Results, metrics: list[str]
) -> Figures:
    """Sort each group's items once; a draw only says how often each counts. ``unit`` is (items,)."""
    drawn = draw_counts(units, results.record.bootstrap, seed=0)  # one seed: every run gets the same units
    figures = {(metric, group): np.full(len(drawn), np.nan) for metric in metrics for group in results.groups}
    for group in results.groups:
        part = np.flatnonzero(items.groups == group)
        sample = Sample.of(items.labels[part], items.scores[part])
        for number, counts in enumerate(drawn):
            again = sample.drawn(counts[unit[part]])
            for metric in metrics:
                with suppress(UnmeasurableError):  # only one class came up; left out of the interval
                    figures[metric, group][number] = METRICS[metric].compute(again, items.threshold_of(group))
    return figures


def _bounds(values: Draws) -> tuple[float, float]:
    measured = values[~np.isnan(values)]
    if 2 * measured.size < values.size:
        return math.nan, math.nan
    return percentiles(measured, 0.025)
