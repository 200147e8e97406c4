"""Tables keep every name and every deviation at any width; pictures stay readable with many metrics."""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from rich.console import Console
from typer.testing import CliRunner

from handshift.cli.study import app
from handshift.core.figure import colours
from handshift.study.figures import draw_bars, draw_training_curves
from handshift.study.measurements import Measurement, write_csv
from handshift.study.results import Results
from handshift.study.study_record import StudyRecord
from handshift.study.tables import metric_table
from handshift.study.terminal_tables import print_tables, terminal_table

GROUPS = ("5% / single", "5% / spliced", "20% / single", "20% / spliced", "50% / single", "50% / spliced")


def measured(variants: list[str], metrics: list[str], groups: tuple[str, ...] = GROUPS) -> list[Measurement]:
    random = np.random.default_rng(0)
    return [
        Measurement(variant, seed, group, metric, float(random.uniform(0.6, 0.9)))
        for variant in variants
        for seed in (1, 2, 3)
        for group in groups
        for metric in metrics
    ]


def results(variants: list[str], metrics: list[str], groups: tuple[str, ...] = GROUPS) -> Results:
    record = StudyRecord(
        name="wide", variants=variants, seeds=[1, 2, 3], metrics=metrics, baseline=variants[0]
    )
    return Results(record, Path("nowhere"), measured(variants, metrics, groups))


NAMES = [f"a variant with a long name, number {number}" for number in range(3)]


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_narrow_terminal_shows_every_name_and_every_deviation(width: int) -> None:
    table = metric_table(results(NAMES, ["auroc"]), "auroc")
    screen = Console(width=width, file=io.StringIO())
    shown = []
    for part in terminal_table(table, NAMES[0], width):
        with screen.capture() as captured:
            screen.print(part)
        shown.append(captured.get())
    for text in shown:
        assert all(len(line) <= width for line in text.splitlines())
        assert all(name in text for name in NAMES), "a part without the names of its rows"
    cells = [cell.text(table.digits) for row in table.cells.values() for cell in row.values()]
    assert all(any(cell in text for text in shown) for cell in cells)


def test_piped_output_is_not_broken(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    file.write_text(write_csv(measured(NAMES, ["auroc"])))
    folders = ["--results", str(tmp_path / "results")]
    assert CliRunner().invoke(app, ["import", str(file), "--baseline", NAMES[0], *folders]).exit_code == 0
    shown = CliRunner().invoke(app, ["table", "wide", *folders, "--work", str(tmp_path)]).stdout
    assert "continued" not in shown
    for row in metric_table(results(NAMES, ["auroc"]), "auroc").cells.values():
        line = next(line for line in shown.splitlines() if all(c.text(4) in line for c in row.values()))
        assert any(name in line for name in NAMES)


def test_what_the_baseline_does_not_measure_is_not_tested_against_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    record = StudyRecord(
        name="drop",
        variants=["noisy", "cleaned"],
        seeds=[1, 2, 3],
        metrics=["auroc", "recall"],
        baseline="noisy",
    )
    shared, own = measured(record.variants, ["auroc"]), measured(["cleaned"], ["recall"])
    for markdown in (False, True):
        print_tables(Results(record, Path("nowhere"), [*shared, *own]), markdown)
        shown = capsys.readouterr().out
        assert "nan" not in shown and "AUROC" in shown and "recall" in shown.lower()
        assert "recall: paired with" not in shown.lower()


def test_the_whole_is_not_averaged_with_its_parts() -> None:
    assert results(["one"], ["auroc"], ("all", "5%", "20%")).columns() == ["all", "5%", "20%"]
    assert results(["one"], ["auroc"], ("5%", "20%")).columns() == ["5%", "20%", "overall"]


def test_many_metrics_make_rows_of_panels() -> None:
    one, many = (draw_bars(results(NAMES, metrics), []) for metrics in (["auroc"], [*"abcdefg"]))
    assert many.get_figwidth() == 3 * one.get_figwidth()
    assert len(many.axes) == 7


@pytest.mark.parametrize("variants", [3, 17])
def test_labels_do_not_overlap(variants: int) -> None:
    figure = draw_bars(results([f"variant {number}" for number in range(variants)], ["a", "b"]), [])
    figure.draw_without_rendering()
    for panel in figure.axes:
        for labels, turned in ((panel.get_xticklabels(), 35), (panel.get_yticklabels(), 0)):
            boxes = [label.get_window_extent() for label in labels if label.get_text()]
            for label, (one, other) in zip(labels, pairwise(boxes), strict=False):
                if label.get_rotation() == turned == 35:  # slanted: a line's height apart is enough
                    assert other.x1 - one.x1 >= label.get_fontsize()
                else:
                    assert not one.overlaps(other), label.get_text()


def test_no_two_variants_share_a_colour() -> None:
    names = [f"variant {number}" for number in range(20)]
    assert len(set(colours(names).values())) == len(names)


def lines(figure: Figure) -> list[int]:
    return [np.size(line.get_xdata()) for panel in figure.axes for line in panel.get_lines()]


def test_no_curve_is_empty_where_seeds_were_evaluated_at_different_steps(tmp_path: Path) -> None:
    record = StudyRecord(name="curves", variants=["one"], seeds=[1, 2], metrics=["auroc"], baseline="one")
    for seed, steps in ((1, [10, 20]), (2, [15])):
        folder = tmp_path / f"20260101-000000_one_seed{seed}" / "training"
        folder.mkdir(parents=True)
        entries = [{"step": step, "kind": "train", "loss": 1.0} for step in steps]
        (folder / "metrics.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    figure = draw_training_curves(Results(record, tmp_path, [], work=tmp_path))
    assert figure is not None
    assert sorted(lines(figure)) == [1, 2, 3], "two seeds, and their mean at every step"
