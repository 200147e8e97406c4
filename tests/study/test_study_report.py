"""From a study file to a report, in small."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

from handshift.cli.study import app
from handshift.core.errors import StudyError
from handshift.metrics import draw_groups, eer
from handshift.study.collected import collect
from handshift.study.intervals import unit_intervals
from handshift.study.measurements import read_csv
from handshift.study.results import Results, load_results
from handshift.study.runner import StudyFolders, execute, planned_runs
from handshift.study.spec import StudySpec
from handshift.study.study_record import StudyRecord, save_record
from handshift.study.study_report import write_report
from handshift.study.task import find_task

TOY = Path(__file__).parents[2] / "studies" / "toy-scribes.yaml"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The toy study with less of everything, run in this process."""
    content = yaml.safe_load(TOY.read_text())
    content["base"]["data"] = {"train_scribes": 4, "test_scribes": 6, "words": 4}
    content["base"]["training"] |= {"steps": 4, "evaluate_every": 2, "log_every": 1}
    spec = StudySpec.model_validate({**content, "seeds": [1, 2, 3], "bootstrap": 20})
    folders = StudyFolders(tmp_path_factory.mktemp("results"), tmp_path_factory.mktemp("work"))
    for run in planned_runs(spec, folders):
        execute(spec, run, draft=True)
    work, results = folders.work / spec.name, folders.results / spec.name
    save_record(work, StudyRecord.of(spec, find_task(spec.task)))
    collect(work, results)
    return load_results(results, work)


def test_a_study_is_one_table_one_provenance_file_and_its_items(small: Results) -> None:
    kept = {path.name for path in small.folder.iterdir() if path.is_file()}
    assert kept - {"intervals.csv", ".lock"} == {"table.csv", "provenance.json", "items.parquet"}
    provenance = json.loads((small.folder / "provenance.json").read_text())
    assert provenance["configs"]["margin=0.2"]["margin"] == 0.2
    (origin,) = provenance["origins"]
    assert origin["versions"]["torch"]
    assert origin["machine"]["cores"] >= 1
    assert origin["draft"]
    run = next(run for run in provenance["runs"] if (run["variant"], run["seed"]) == ("margin=0.2", 2))
    assert len(run["data_fingerprint"]) == 16
    assert run["seconds"] > 0
    assert run["origins"] == [0]


def test_the_report_is_one_page_that_needs_nothing_else(small: Results) -> None:
    page = write_report(small).read_text()
    assert page.count("<svg") == 4
    assert not re.search(r'(src|href)="(?!#)', page)
    for word in (
        "margin=0.5",
        "other day",
        "overall",
        "trivial baseline",
        "Wilcoxon",
        "Holm",
        "95 % over units",
    ):
        assert word in page
    report = small.folder / "report"
    assert {path.name for path in (report / "figures").glob("*.png")} == {
        "bars.png",
        "ablation.png",
        "roc.png",
        "curves.png",
    }
    assert "9 runs are not traceable to a commit" in page
    assert "| AUROC | same day | other day | overall |" in (report / "tables.md").read_text()
    rows = read_csv((report / "results.csv").read_text(), report / "results.csv")
    assert len(rows) == 3 * 3 * 3 * 3  # variants, seeds, metrics, groups with overall


def test_intervals_over_writers_hold_the_figure_and_pair_the_difference(small: Results) -> None:
    found = unit_intervals(small)
    assert len(found) == 3 * 3 * 3
    for entry in found:
        if entry.variant == small.record.baseline:
            assert (entry.delta_low, entry.delta_high) == (0.0, 0.0)
        assert entry.low <= entry.high


def test_intervals_are_those_of_items_drawn_one_by_one(small: Results) -> None:
    found = {(i.metric, i.group, i.variant): i for i in unit_intervals(small)}
    repeats = small.record.bootstrap
    for variant in small.record.variants:
        draws = []
        for items in small.items(variant):
            samples = draw_groups(items.units, repeats, seed=0)
            here = [sample[items.groups[sample] == "other day"] for sample in samples]
            draws.append([eer(items.labels[at], items.scores[at]) for at in here])
        low, high = np.quantile(np.mean(draws, axis=0), [0.025, 0.975])
        entry = found["eer", "other day", variant]
        assert (entry.low, entry.high) == pytest.approx((low, high), abs=1e-12)


def test_figures_without_their_items_still_make_a_report_that_says_so(small: Results, tmp_path: Path) -> None:
    bare = shutil.copytree(
        small.folder, tmp_path / "bare", ignore=shutil.ignore_patterns("*.parquet", "intervals.csv")
    )
    page = write_report(load_results(bare)).read_text()
    assert "without bootstrap intervals: no scored items were kept" in page
    kept = write_report(small).parent
    assert (bare / "report" / "tests.csv").read_text() == (kept / "tests.csv").read_text()
    assert "no scored items" in (bare / "report" / "tables.md").read_text()
    assert "no scored items" not in (kept / "tables.md").read_text()


def test_the_command_line_shows_status_table_and_report(small: Results) -> None:
    assert small.work is not None
    results = ["--results", str(small.folder.parent), "--work", str(small.work.parent)]
    table = CliRunner().invoke(app, ["table", "toy-scribes", "--markdown", *results])
    assert table.exit_code == 0
    assert "| AUROC | same day | other day | overall |" in table.stdout
    assert CliRunner().invoke(app, ["table", "toy-scribes", *results]).exit_code == 0
    missing = CliRunner().invoke(app, ["report", "no-such-study", *results])
    assert isinstance(missing.exception, StudyError)
    assert "no-such-study" in str(missing.exception)


def test_status_counts_what_is_done(tmp_path: Path) -> None:
    shown = CliRunner().invoke(app, ["status", str(TOY), "--results", str(tmp_path), "--work", str(tmp_path)])
    assert shown.exit_code == 0
    assert "0 of 15 runs done" in shown.stdout
