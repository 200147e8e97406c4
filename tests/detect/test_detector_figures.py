"""The pictures of a trained detector can be read: no labels over each other, no empty panel."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np

from handshift.bag.bagset import BagSet
from handshift.detect.train.test_report import attention_figure, curves_figure


def bags() -> BagSet:
    """One bag by one hand and one mixed bag, four words each."""
    return BagSet(
        rows=np.arange(8),
        offsets=[0, 4, 8],
        foreign=[False] * 6 + [True] * 2,
        label=[False, True],
        writer=["a", "b"],
        kind=["single", "mixed"],
        key=["a1", "b1"],
        share=[0.0, 0.5],
        pattern=["", "block"],
    )


def test_the_labels_of_the_attention_figure_do_not_overlap() -> None:
    figure = attention_figure(bags(), np.full(8, 0.25))
    figure.draw_without_rendering()
    (panel,) = figure.axes
    boxes = [label.get_window_extent() for label in panel.get_xticklabels()]
    assert len(boxes) == 3
    assert not any(one.overlaps(other) for one, other in pairwise(boxes))


def test_a_figure_that_was_not_recorded_has_no_panel(tmp_path: Path) -> None:
    assert curves_figure(tmp_path) is None
    entries = [
        {"step": 10, "kind": "train", "loss": 0.7},
        {"step": 20, "kind": "train", "loss": 0.5},
        {"step": 20, "kind": "evaluation", "auc": 0.8},
    ]
    (tmp_path / "metrics.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    figure = curves_figure(tmp_path)
    assert figure is not None
    assert [panel.get_title() for panel in figure.axes] == ["training loss", "validation auc"]
    assert [np.size(line.get_xdata()) for panel in figure.axes for line in panel.get_lines()] == [2, 1]
    assert figure.axes[1].get_lines()[0].get_marker() == "o", "a single point without a marker is not seen"
