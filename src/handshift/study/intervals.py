"""Bootstrap intervals over writers or images: would other test material give the same figures?"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from handshift.core.atomic import write_text
from handshift.metrics import METRICS, Sample, UnmeasurableError, draw_counts
from handshift.metrics.bootstrap import percentiles
from handshift.study.measurements import rows_csv
from handshift.study.results import OVERALL, Results
from handshift.study.task import ScoredItems

FILE = "intervals.csv"
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
    """Draw intervals for every metric, group and variant whose runs kept their scored items.

    All runs of a study are measured on the same drawn units, so that differences are paired. A study whose
    items are not kept has the intervals of its ``intervals.csv``, if there is one.
    """
    record = results.record
    metrics = [name for name in record.metrics if name in METRICS]
    runs = [(name, items) for name in record.variants for items in results.items(name)]
    if not runs:
        return load_intervals(results.folder)
    if not record.bootstrap or not metrics:
        return []
    units, draws = None, defaultdict[str, list[Figures]](list)
    for variant, items in track(runs, "resampling units", console=Console(stderr=True), transient=True):
        names, unit = np.unique(items.units, return_inverse=True)
        units = names if units is None else units
        if not np.array_equal(units, names):
            return []  # runs on different units: no common draw exists
        draws[variant].append(_resample_run(items, unit, names.size, results, metrics))
    means = {variant: _over_seeds(by_seed, results, metrics) for variant, by_seed in draws.items()}
    return _intervals(means, record.baseline)


def save_intervals(folder: Path, intervals: Iterable[UnitInterval]) -> None:
    """Write ``intervals.csv``, one line per metric, group and variant."""
    write_text(folder / FILE, rows_csv(UnitInterval, intervals))


def load_intervals(folder: Path) -> list[UnitInterval]:
    """Read ``intervals.csv``; empty where there is none."""
    path = folder / FILE
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            UnitInterval(
                row["metric"],
                row["group"],
                row["variant"],
                *(float(row[name]) for name in ("low", "high", "delta_low", "delta_high")),
            )
            for row in csv.DictReader(lines)
        ]


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


def _resample_run(
    items: ScoredItems, unit: NDArray[np.intp], units: int, results: Results, metrics: list[str]
) -> Figures:
    """Sort each group's items once; a draw only says how often each counts. ``unit`` is (items,)."""
    drawn = draw_counts(units, results.record.bootstrap, seed=0)  # one seed: every run gets the same units
    figures = {(metric, group): np.full(len(drawn), np.nan) for metric in metrics for group in results.groups}
    for group in results.groups:
        part = np.flatnonzero(items.groups == group)
        sample = Sample.of(items.labels[part], items.scores[part])
        for number, counts in enumerate(drawn):
            resampled = sample.drawn(counts[unit[part]])
            for metric in metrics:
                with suppress(UnmeasurableError):  # only one class was drawn; left out of the interval
                    figures[metric, group][number] = METRICS[metric].compute(
                        resampled, items.threshold_of(group)
                    )
    return figures


def _bounds(values: Draws) -> tuple[float, float]:
    measured = values[~np.isnan(values)]
    if 2 * measured.size < values.size:
        return math.nan, math.nan
    return percentiles(measured, 0.025)
