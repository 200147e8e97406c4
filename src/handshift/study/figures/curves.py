"""How the trainings went: loss and held-out figures against steps."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from handshift.canvas import add_legend, colours, new_figure
from handshift.study.results import Results
from handshift.training.journal import read_journal

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
