"""Test figures of a detector by share of foreign words, its attention, and the training curves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.core.arrays import Floats
from handshift.core.figure import COLOURS, new_figure, save_figure
from handshift.metrics import always_positive_f1, auroc, decide, tpr_at_fpr
from handshift.training.journal import read_journal

CURVES = {
    "training loss": ("train", "loss"),
    "validation auc": ("evaluation", "auc"),
    "validation f1": ("evaluation", "f1"),
}
"""Title of a panel: kind of the journal's line, and the figure in it."""


def draw_curves(training: Path, out: Path) -> None:
    """Write training-curves.svg and .png, if the training's journal holds any figure."""
    figure = curves_figure(training)
    if figure is not None:
        save_figure(figure, out, "training-curves")


def curves_figure(training: Path) -> Figure | None:
    """Plot loss, validation AUC and validation F1 against steps, one panel for each that was recorded."""
    lines = read_journal(training)
    curves = {
        title: [(line["step"], line[name]) for line in lines if line["kind"] == kind and name in line]
        for title, (kind, name) in CURVES.items()
    }
    recorded = {title: points for title, points in curves.items() if points}
    if not recorded:
        return None
    figure, panels = new_figure(len(recorded), width=3.6)
    for panel, (title, points) in zip(panels, recorded.items(), strict=True):
        steps, values = zip(*points, strict=True)
        panel.plot(steps, values, color=COLOURS[0], marker="o" if len(points) == 1 else None)
        panel.set_xlabel("step")
        panel.set_title(title)
    return figure


def draw_attention(bags: BagSet, contribution: NDArray[np.float64], out: Path) -> None:
    """Write attention.svg and .png."""
    save_figure(attention_figure(bags, contribution), out, "attention")


def attention_figure(bags: BagSet, contribution: NDArray[np.float64]) -> Figure:
    """Box plots of contribution × number of words, which is 1 for uniform contributions."""
    relative = contribution * np.repeat(bags.sizes, bags.sizes)
    mixed = np.repeat(bags.label, bags.sizes)
    groups = {
        "one hand": relative[~mixed],
        "mixed:\nhost's words": relative[mixed & ~bags.foreign],
        "mixed:\nforeign words": relative[mixed & bags.foreign],
    }
    figure, (panel,) = new_figure()
    panel.boxplot(list(groups.values()), tick_labels=list(groups), showfliers=False)
    panel.set_ylabel("contribution × words")
    return figure


def by_share(bags: BagSet, scores: Floats, threshold: float) -> dict[str, Any]:
    """Metrics of all bags and of each share of foreign words, beside the "always mixed" baseline.

    False-positive rates and AUCs are separate for one-session bags and for bags spliced from two sessions.

    Args:
        bags: test bags.
        scores: (bags,).
        threshold: chosen on validation writers.
    """
    label, kind = bags.label, bags.kind
    whole = decide(label, scores, threshold)
    figures: dict[str, Any] = {
        "bags": {str(name): int((kind == name).sum()) for name in np.unique(kind)},
        "threshold": threshold,
        "auc": auroc(label, scores),
        "f1": whole.f1,
        "f1_always_mixed": always_positive_f1(label),
        "recall": whole.recall,
        "accuracy": whole.accuracy,
        "tpr_at_1": tpr_at_fpr(label, scores, 0.01),
        "tpr_at_5": tpr_at_fpr(label, scores, 0.05),
        "false_positive_rate_all": whole.false_positive_rate,
        "false_positive_rate": {
            str(name): float((scores[kind == name] >= threshold).mean()) for name in np.unique(kind[~label])
        },
        "shares": {},
    }
    for share in np.unique(bags.share[label]):
        own = label & (bags.share == share)
        figures["shares"][f"{share:.3g}"] = _of_share(own, kind, scores, threshold, label)
    return figures


def _of_share(
    own: NDArray[np.bool_],
    kind: NDArray[np.str_],
    scores: Floats,
    threshold: float,
    label: NDArray[np.bool_],
) -> dict[str, Any]:
    figures: dict[str, Any] = {"bags": int(own.sum()), "recall": float((scores[own] >= threshold).mean())}
    against = own | ~label
    decisions = decide(label[against], scores[against], threshold)
    figures |= {"f1": decisions.f1, "accuracy": decisions.accuracy}
    figures["f1_always_mixed"] = always_positive_f1(label[against])
    for name in np.unique(kind[~label]):
        chosen = own | (kind == name)
        truth, values = own[chosen], scores[chosen]
        figures[f"auc_against_{name}"] = auroc(truth, values)
        figures[f"tpr_at_1_against_{name}"] = tpr_at_fpr(truth, values, 0.01)
        figures[f"tpr_at_5_against_{name}"] = tpr_at_fpr(truth, values, 0.05)
    return figures


def attention(bags: BagSet, contribution: Floats) -> dict[str, Any]:
    """Unevenness of contributions by kind of bag, and the AUC of foreign words by contribution.

    `uneven` is the mean over bags of the largest contribution times the number of words: 1 if uniform.
    `word_auc` ranks the words within each mixed bag, averaged over bags.
    """
    parts = np.split(contribution, bags.offsets[1:-1].astype(np.int64))
    foreign = np.split(bags.foreign, bags.offsets[1:-1].astype(np.int64))
    uneven = np.array([part.max() * part.size for part in parts])
    figures: dict[str, Any] = {
        str(name): {
            "uneven": float(uneven[bags.kind == name].mean()),
            "smallest": float(np.mean([parts[b].min() for b in np.flatnonzero(bags.kind == name)])),
            "largest": float(np.mean([parts[b].max() for b in np.flatnonzero(bags.kind == name)])),
        }
        for name in np.unique(bags.kind)
    }
    mixed = [b for b in np.flatnonzero(bags.label) if foreign[b].any() and not foreign[b].all()]
    figures["word_auc"] = float(np.mean([auroc(foreign[b], parts[b]) for b in mixed]))
    return figures
