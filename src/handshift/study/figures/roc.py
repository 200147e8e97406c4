"""The ROC curve with the strict end drawn out."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from handshift.canvas import add_legend, colours, new_figure
from handshift.metrics import roc_curve
from handshift.study.items import load_items
from handshift.study.results import Results


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
