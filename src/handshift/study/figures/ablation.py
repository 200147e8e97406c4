"""One number turned from low to high."""

from __future__ import annotations

import statistics

from matplotlib.figure import Figure

from handshift.canvas import COLOURS, add_legend, new_figure
from handshift.study.results import Results


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
