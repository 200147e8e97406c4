"""The pictures of a study: means with intervals, a numeric axis, ROC curves and training curves."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from handshift.core.figure import COLOURS, add_legend, colours, new_figure
from handshift.metrics import roc_curve
from handshift.study.intervals import UnitInterval
from handshift.study.results import Results
from handshift.study.task import ScoredItems
from handshift.training.journal import read_journal

MOST_CURVES = 3
"""Panels of training curves: the loss and the first held-out figures."""
LABEL_WIDTH = 34
"""Characters that fit side by side below a panel; labels that are longer together are slanted."""
FINEST = 1e-5
"""The smallest false-positive rate that is drawn."""
Bounds = dict[tuple[str, str, str], tuple[float, float]]
"""Interval over units by metric, group and variant."""


def draw_ablation(results: Results) -> Figure | None:
    """Draw mean ± std over seeds along the study's numeric axis.

    Returns:
        One panel per metric, one line per group; None where the study has no numeric axis.
    """
    record = results.record
    if record.axis is None or len(record.axis_values) < 2:
        return None
    figure, panels = new_figure(len(record.metrics))
    ordered = sorted(record.variants, key=lambda variant: record.axis_values[variant])
    shade = colours(results.columns())
    for metric, panel in zip(record.metrics, panels, strict=True):
        for column in results.columns():
            measured = {v: list(results.values(metric, column, v).values()) for v in ordered}
            points = [(record.axis_values[v], *_mean_std(values)) for v, values in measured.items() if values]
            if points:
                places, means, spreads = zip(*points, strict=True)
                panel.errorbar(
                    places, means, spreads, marker="o", capsize=3, color=shade[column], label=column
                )
        panel.set_xlabel(record.axis)
        panel.set_title(record.title_of(metric))
    add_legend(figure, panels[0])
    return figure


def draw_bars(results: Results, intervals: list[UnitInterval]) -> Figure:
    """Draw means over seeds as bars, one panel per metric, single seeds as dots.

    Whiskers are the bootstrap interval over units where there is one, otherwise ± std over seeds. Up to eight
    variants have a colour each, in a cluster for each group; more of them have a line each, and the groups
    have the colours.
    """
    record, columns = results.record, results.columns()
    bounds: Bounds = {(i.metric, i.group, i.variant): (i.low, i.high) for i in intervals}
    if len(record.variants) > len(COLOURS):
        return _horizontal_bars(results, bounds)
    figure, panels = new_figure(len(record.metrics))
    shade = colours(record.variants)
    width = 0.8 / len(record.variants)
    for metric, panel in zip(record.metrics, panels, strict=True):
        drawn: list[float] = []
        for number, variant in enumerate(record.variants):
            for place, column in enumerate(columns):
                x = place + (number - (len(record.variants) - 1) / 2) * width
                values = list(results.values(metric, column, variant).values())
                if values:
                    label = None if variant in panel.get_legend_handles_labels()[1] else variant
                    mean, low, high = _whiskers(values, bounds.get((metric, column, variant)))
                    panel.bar(x, mean, width * 0.92, color=shade[variant], alpha=0.75, label=label)
                    panel.errorbar(
                        x, mean, [[mean - low], [high - mean]], color="black", capsize=2, linewidth=1
                    )
                    panel.scatter(np.full(len(values), x), values, s=6, color="black", alpha=0.5, zorder=3)
                    drawn += [*values, low, high]
        _label_groups(panel, columns)
        panel.set_title(record.title_of(metric))
        if drawn:
            panel.set_ylim(*_zoom(drawn))
    add_legend(figure, panels[0])
    return figure


def _horizontal_bars(results: Results, bounds: Bounds) -> Figure:
    """One line for each variant, named on the axis; one colour for each group."""
    record, columns = results.record, results.columns()
    rows = len(record.variants) * len(columns)
    figure, panels = new_figure(len(record.metrics), width=5.6, height=max(3.6, 1 + 0.11 * rows))
    height, shade = 0.8 / len(columns), colours(columns)
    for metric, panel in zip(record.metrics, panels, strict=True):
        drawn: list[float] = []
        for number, column in enumerate(columns):
            measured = {v: list(results.values(metric, column, v).values()) for v in record.variants}
            lines = [line for line, variant in enumerate(record.variants) if measured[variant]]
            if not lines:
                continue
            found = [
                _whiskers(
                    measured[record.variants[line]], bounds.get((metric, column, record.variants[line]))
                )
                for line in lines
            ]
            means, lows, highs = (np.array(part) for part in zip(*found, strict=True))
            places = np.array(lines) + (number - (len(columns) - 1) / 2) * height
            panel.barh(places, means, height * 0.92, color=shade[column], alpha=0.75, label=column)
            panel.errorbar(
                means, places, xerr=[means - lows, highs - means], color="black", linestyle="", linewidth=0.7
            )
            drawn += [*lows, *highs]
        panel.set_yticks(range(len(record.variants)), record.variants)
        panel.set_ylim(len(record.variants) - 0.5, -0.5)
        panel.set_title(record.title_of(metric))
        if drawn:
            panel.set_xlim(*_zoom(drawn))
    add_legend(figure, panels[0])
    return figure


def draw_training_curves(results: Results) -> Figure | None:
    """Draw the loss and the held-out figures against steps, of the runs whose work folders are still there.

    Returns:
        One panel per figure, the mean over seeds with single seeds thin behind it; None without a journal.
    """
    record = results.record
    journals = {v: [_series(folder) for folder in results.work_folders(v)] for v in record.variants}
    names = list(dict.fromkeys(name for runs in journals.values() for run in runs for name in run))
    if not names:
        return None
    figure, panels = new_figure(min(len(names), MOST_CURVES))
    shade = colours(record.variants)
    for name, panel in zip(names, panels, strict=False):
        for variant, runs in journals.items():
            seeds = [run[name] for run in runs if name in run]
            for series in seeds:
                _plot(panel, series, color=shade[variant], alpha=0.25, linewidth=0.7)
            if seeds:
                _plot(panel, _mean_series(seeds), color=shade[variant], linewidth=1.8, label=variant)
        panel.set_xlabel("step")
        panel.set_title(name)
    add_legend(figure, panels[0])
    return figure


def draw_roc(results: Results) -> Figure | None:
    """Draw ROC curves, the mean TPR over seeds, shaded from the worst to the best seed.

    The axis of false-positive rates is logarithmic, because decisions are made at 0.1 % and 1 %.

    Returns:
        One panel per group, one curve per variant; None where no run kept its scored items.
    """
    record = results.record
    runs = {variant: results.items(variant) for variant in record.variants}
    sizes = {
        group: max((_negatives(items, group) for kept in runs.values() for items in kept), default=0)
        for group in results.groups
    }
    groups = [group for group, negatives in sizes.items() if negatives]
    if not groups:
        return None
    figure, panels = new_figure(len(groups))
    shade = colours(record.variants)
    for group, panel in zip(groups, panels, strict=True):
        grid = np.logspace(np.log10(max(1 / max(sizes[group], 10), FINEST)), 0, 200)
        for variant, kept in runs.items():
            curves = [_tpr_on(grid, items, group) for items in kept if _negatives(items, group)]
            if curves:
                panel.plot(grid, np.mean(curves, axis=0), color=shade[variant], label=variant)
                panel.fill_between(
                    grid, np.min(curves, axis=0), np.max(curves, axis=0), color=shade[variant], alpha=0.15
                )
        panel.plot(grid, grid, color="grey", linestyle=":", linewidth=1, label="trivial baseline")
        panel.set_xscale("log")
        panel.set_ylim(0, 1.01)
        panel.set_xlabel("false-positive rate")
        panel.set_ylabel("true-positive rate")
        panel.set_title(group)
    add_legend(figure, panels[0])
    return figure


def _tpr_on(grid: Any, items: ScoredItems, group: str) -> Any:
    """The step function itself, not a line between its corners: the TPR reached at FPR ≤ x."""
    own = items.groups == group
    curve = roc_curve(items.labels[own], items.scores[own])
    return curve.tpr[np.searchsorted(curve.fpr, grid, side="right") - 1]


def _negatives(items: ScoredItems, group: str) -> int:
    """Items of the negative class; 0 where one class is missing and no curve exists."""
    labels = items.labels[items.groups == group]
    return int((labels == 0).sum()) if labels.any() else 0


Series = dict[int, float]
"""A figure by training step."""


def _series(folder: Path) -> dict[str, Series]:
    """Loss and evaluation figures by step from every training journal below a run's folder."""
    found: dict[str, Series] = defaultdict(dict)
    for path in folder.rglob("metrics.jsonl"):
        for line in read_journal(path.parent):
            if line["kind"] == "train":
                found["training loss"][line["step"]] = line["loss"]
            else:
                for name, value in line.items():
                    if name not in ("step", "kind"):
                        found[f"held-out {name}"][line["step"]] = value
    return dict(found)


def _mean_series(seeds: Sequence[Series]) -> Series:
    """The mean at the steps that all seeds have; where they share none, at every step of any."""
    shared = set.intersection(*(set(series) for series in seeds))
    steps = sorted(shared or set[int]().union(*seeds))
    return {step: float(np.mean([series[step] for series in seeds if step in series])) for step in steps}


def _plot(panel: Any, series: Series, **style: Any) -> None:
    """A line, or a dot where there is a single step."""
    panel.plot(list(series), list(series.values()), marker="o" if len(series) == 1 else None, **style)


def _mean_std(values: Sequence[float]) -> tuple[float, float]:
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else 0.0


def _whiskers(values: Sequence[float], bounds: tuple[float, float] | None) -> tuple[float, float, float]:
    """Mean, lower and upper end: of the interval if there is one, else of one standard deviation."""
    mean, std = _mean_std(values)
    low, high = bounds or (mean - std, mean + std)
    if np.isnan(low):
        return mean, mean, mean
    return mean, min(mean, low), max(mean, high)


def _zoom(drawn: Sequence[float]) -> tuple[float, float]:
    """Limits near the values: bars that all end near the top are cut at the foot."""
    lowest, highest = min(drawn), max(drawn)
    room = max((highest - lowest) * 0.25, 1e-3)
    return max(0.0, lowest - room), highest + room


def _label_groups(panel: Any, columns: Sequence[str]) -> None:
    if sum(len(column) + 2 for column in columns) > LABEL_WIDTH:
        panel.set_xticks(range(len(columns)), columns, rotation=35, ha="right", rotation_mode="anchor")
    else:
        panel.set_xticks(range(len(columns)), columns)
