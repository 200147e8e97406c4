"""Means with intervals, side by side."""

from __future__ import annotations

import statistics

import numpy as np
from matplotlib.figure import Figure

from handshift.canvas import add_legend, colours, new_figure
from handshift.study.intervals import UnitInterval
from handshift.study.results import Results


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
