"""One number turned from low to high.

Means with intervals, side by side.

How the trainings went: loss and held-out figures against steps.

The ROC curve with the strict end drawn out.

The pictures of a study, each as SVG and PNG.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from handshift.core.figure import COLOURS, add_legend, colours, new_figure
from handshift.metrics import roc_curve
from handshift.study.intervals import UnitInterval
from handshift.study.items import load_items
from handshift.study.results import Results
from handshift.training.journal import read_journal


def draw_ablation(results: Results) -> Figure | None:
    """One panel per metric, one line per group: mean ± std over seeds along the study's numeric axis."""
    record = results.record
    if record.axis is None or len(record.axis_values) < 2:
        return None
    figure, panels = new_figure(len(record.metrics))
    ordered = sorted(record.variants, key=lambda variant: record.axis_values[variant])
    for metric, panel in zip(record.metrics, panels, strict=True):
        for number, column in enumerate(results.columns()):
            points = []
            for variant in ordered:
                values = list(results.values(metric, column, variant).values())
                if values:
                    spread = statistics.stdev(values) if len(values) > 1 else 0.0
                    points.append((record.axis_values[variant], statistics.fmean(values), spread))
            if points:
                places, means, spreads = zip(*points, strict=True)
                panel.errorbar(
                    places, means, spreads, marker="o", capsize=3, color=COLOURS[number % 8], label=column
                )
        panel.set_xlabel(record.axis)
        panel.set_title(record.title_of(metric))
    add_legend(figure, panels[0])
    return figure


def draw_bars(results: Results, intervals: list[UnitInterval]) -> Figure:
    """One panel per metric, one cluster per group: mean over seeds, single seeds as dots.

    Whiskers are the bootstrap interval over units where there is one, otherwise ± std over seeds.
    """
    record, columns = results.record, results.columns()
    figure, panels = new_figure(len(record.metrics))
    shade = colours(record.variants)
    bounds = {(i.metric, i.group, i.variant): (i.low, i.high) for i in intervals}
    width = 0.8 / len(record.variants)
    for metric, panel in zip(record.metrics, panels, strict=True):
        seen: list[float] = []
        for number, variant in enumerate(record.variants):
            for place, column in enumerate(columns):
                values = list(results.values(metric, column, variant).values())
                if not values:
                    continue
                mean = statistics.fmean(values)
                spread = statistics.stdev(values) if len(values) > 1 else 0.0
                low, high = bounds.get((metric, column, variant), (mean - spread, mean + spread))
                if np.isnan(low):
                    low = high = mean
                x = place + (number - (len(record.variants) - 1) / 2) * width
                label = variant if place == 0 else None
                panel.bar(x, mean, width * 0.92, color=shade[variant], alpha=0.75, label=label)
                whiskers = [[max(mean - low, 0.0)], [max(high - mean, 0.0)]]
                panel.errorbar(x, mean, whiskers, color="black", capsize=2, linewidth=1)
                panel.scatter(np.full(len(values), x), values, s=6, color="black", alpha=0.5, zorder=3)
                seen += [*values, low, high]
        panel.set_xticks(range(len(columns)), columns)
        panel.set_title(record.title_of(metric))
        if seen:
            _zoom(panel, min(seen), max(seen))
    add_legend(figure, panels[0])
    return figure


def _zoom(panel: object, lowest: float, highest: float) -> None:
    """Bars that all end near the top are cut at the foot, and the axis says so by not starting at zero."""
    room = max((highest - lowest) * 0.25, 1e-3)
    panel.set_ylim(max(0.0, lowest - room), highest + room)  # type: ignore[attr-defined]


Series = dict[int, float]
MOST_PANELS = 3


def draw_training_curves(results: Results) -> Figure | None:
    """One panel for the loss and one per held-out figure: mean over seeds, single seeds thin behind it."""
    record = results.record
    journals = {v: [_series(folder) for folder in results.run_folders(v).values()] for v in record.variants}
    names = list(dict.fromkeys(name for runs in journals.values() for run in runs for name in run))[
        :MOST_PANELS
    ]
    if not names:
        return None
    figure, panels = new_figure(len(names))
    shade = colours(record.variants)
    for name, panel in zip(names, panels, strict=True):
        for variant, runs in journals.items():
            shown = [run[name] for run in runs if name in run]
            if not shown:
                continue
            for series in shown:
                panel.plot(
                    list(series), list(series.values()), color=shade[variant], alpha=0.25, linewidth=0.7
                )
            shared = sorted(set.intersection(*(set(series) for series in shown)))
            mean = [float(np.mean([series[step] for series in shown])) for step in shared]
            panel.plot(shared, mean, color=shade[variant], linewidth=1.8, label=variant)
        panel.set_xlabel("step")
        panel.set_title(name)
    add_legend(figure, panels[0])
    return figure


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


def draw_roc(results: Results) -> Figure | None:
    """One panel per group, one curve per variant: the mean TPR over seeds, shaded from worst to best seed.

    The axis of false alarms is logarithmic, because 0.1 % and 1 % are where decisions are made.
    """
    record = results.record
    runs = {v: [load_items(folder) for folder in results.run_folders(v).values()] for v in record.variants}
    kept = {v: [items for items in loaded if items is not None] for v, loaded in runs.items()}
    if not any(kept.values()):
        return None
    figure, panels = new_figure(len(results.groups))
    shade = colours(record.variants)
    for group, panel in zip(results.groups, panels, strict=True):
        finest = min(
            1 / max((items.groups == group).sum(), 10) for loaded in kept.values() for items in loaded
        )
        grid = np.logspace(np.log10(max(finest, 1e-5)), 0, 200)
        for variant, loaded in kept.items():
            curves = []
            for items in loaded:
                here = items.groups == group
                curve = roc_curve(items.labels[here], items.scores[here])
                # The step function itself, not a line between its corners: TPR reached at FPR ≤ x.
                curves.append(curve.tpr[np.searchsorted(curve.fpr, grid, side="right") - 1])
            if curves:
                panel.plot(grid, np.mean(curves, axis=0), color=shade[variant], label=variant)
                panel.fill_between(
                    grid, np.min(curves, axis=0), np.max(curves, axis=0), color=shade[variant], alpha=0.15
                )
        panel.plot(grid, grid, color="grey", linestyle=":", linewidth=1, label="knowing nothing")
        panel.set_xscale("log")
        panel.set_ylim(0, 1.01)
        panel.set_xlabel("false-positive rate")
        panel.set_ylabel("true-positive rate")
        panel.set_title(group)
    add_legend(figure, panels[0])
    return figure
