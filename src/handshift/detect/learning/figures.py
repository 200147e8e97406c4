"""Training curves and attention as pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.canvas import COLOURS, new_figure, save_figure
from handshift.training.journal import read_journal


def draw_curves(training: Path, out: Path) -> None:
    """Loss, validation AUC and validation F1 against steps: training-curves.svg and .png."""
    lines = read_journal(training)
    figure, panels = new_figure(3, width=3.6)
    for panel, kind, name in zip(
        panels, ("train", "evaluation", "evaluation"), ("loss", "auc", "f1"), strict=True
    ):
        own = [(line["step"], line[name]) for line in lines if line["kind"] == kind and name in line]
        panel.plot([step for step, _ in own], [value for _, value in own], color=COLOURS[0])
        panel.set_xlabel("step")
        panel.set_title("training loss" if kind == "train" else f"validation {name}")
    save_figure(figure, out, "training-curves")


def draw_attention(bags: BagSet, contribution: NDArray[np.float64], out: Path) -> None:
    """Contributions times the number of words: 1 where all words of a bag contribute alike."""
    relative = contribution * np.repeat(bags.sizes, bags.sizes)
    mixed = np.repeat(bags.label, bags.sizes)
    groups = {
        "one hand": relative[~mixed],
        "mixed: host's words": relative[mixed & ~bags.foreign],
        "mixed: foreign words": relative[mixed & bags.foreign],
    }
    figure, (panel,) = new_figure()
    panel.boxplot(list(groups.values()), tick_labels=list(groups), showfliers=False)
    panel.set_ylabel("contribution × words")
    save_figure(figure, out, "attention")
