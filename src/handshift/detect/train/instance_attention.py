"""The attention weights of a bag's instances, as the source shows them: a table and a figure per bag."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np

from handshift.bag.bagset import BagSet
from handshift.core.arrays import Flags, Floats
from handshift.core.atomic import write_text
from handshift.core.figure import COLOURS, new_figure, save_figure

TABLE, FIGURE = "attention.csv", "attention-bags"
_SHOWN = 3
"""Bags of each class in the figure."""


def instances_replaced(bags: BagSet) -> Flags:
    """(bags, instances) whether an instance was replaced by another writer's."""
    return np.asarray(bags.foreign.reshape(len(bags), -1, bags.width).all(axis=2))


def instance_weights(bags: BagSet, contribution: Floats) -> tuple[Floats, Flags]:
    """Attention of every instance, and whether it was replaced; both (bags, instances).

    The contributions of an instance's words add up to its attention weight: instances of stored bags do not
    overlap.

    Args:
        bags: bags of equally many instances of `width` words.
        contribution: (total,) of all words, bag after bag.
    """
    shape = (len(bags), -1, bags.width)
    return np.asarray(contribution.reshape(shape).sum(axis=2)), instances_replaced(bags)


def instance_summary(bags: BagSet, contribution: Floats) -> dict[str, Any]:
    """Mean smallest and largest attention weight by class; empty for bags of single words."""
    if bags.width == 1:
        return {}
    weights, _ = instance_weights(bags, contribution)
    return {
        "instances": {
            name: {"smallest": float(own.min(axis=1).mean()), "largest": float(own.max(axis=1).mean())}
            for name, own in (("one hand", weights[~bags.label]), ("mixed", weights[bags.label]))
        }
    }


def write_instance_attention(bags: BagSet, contribution: Floats, out: Path) -> None:
    """Write attention.csv with a row per bag, and attention-bags.svg and .png of some bags of each class."""
    weights, replaced = instance_weights(bags, contribution)
    numbers = range(weights.shape[1])
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    head = ["bag", "document", "label", "share", *(f"attention_{k}" for k in numbers)]
    table.writerow([*head, *(f"replaced_{k}" for k in numbers)])
    columns = zip(bags.key.tolist(), bags.label.tolist(), bags.share.tolist(), strict=True)
    for bag, (key, label, share) in enumerate(columns):
        row = [f"{weight:.6f}" for weight in weights[bag]]
        table.writerow([bag, key, int(label), f"{share:g}", *row, *replaced[bag].astype(int)])
    write_text(out / TABLE, buffer.getvalue())
    _draw(bags, weights, replaced, out)


def _draw(bags: BagSet, weights: Floats, replaced: Flags, out: Path) -> None:
    """Bars of three one-hand bags and of three mixed ones of the largest share, replaced ones coloured."""
    most = bags.share == bags.share.max()
    shown = [*np.flatnonzero(~bags.label)[:_SHOWN], *np.flatnonzero(bags.label & most)[:_SHOWN]]
    figure, panels = new_figure(len(shown), width=3.2, height=2.4)
    for panel, bag in zip(panels, shown, strict=True):
        colour = [COLOURS[1] if other else COLOURS[0] for other in replaced[bag]]
        panel.bar(np.arange(weights.shape[1]), weights[bag], color=colour)
        panel.axhline(1 / weights.shape[1], color="#6f7780", linewidth=0.8, linestyle="--")
        panel.set_ylim(0, max(0.3, float(weights[shown].max()) * 1.05))
        panel.set_title(f"mixed, {bags.share[bag]:.0%}" if bags.label[bag] else "one hand", fontsize=9)
        panel.set_xlabel("instance", fontsize=8)
    panels[0].set_ylabel("attention", fontsize=8)
    save_figure(figure, out, FIGURE)
