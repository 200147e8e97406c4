"""What is wrong with a study is said before anything runs, by name."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from handshift.cli.study import app
from handshift.core.atomic import WriteError
from handshift.core.errors import HandshiftError, StudyError
from handshift.study.runner import execute, planned_runs
from handshift.study.spec import StudySpec

GOOD: dict[str, Any] = {
    "name": "tiny",
    "task": "tiny_study:TRAINED",
    "base": {"steps": 4},
    "grid": {"lr": [0.01, 0.02]},
    "seeds": [1, 2],
    "metrics": ["error"],
    "baseline": "lr=0.01",
}


def refused(content: str, tmp_path: Path, *options: str) -> str:
    file = tmp_path / "study.yaml"
    file.write_text(content)
    result = CliRunner().invoke(app, ["run", str(file), "--results", str(tmp_path / "results"), *options])
    assert isinstance(result.exception, HandshiftError)
    assert not list((tmp_path / "results").glob("*/2*")), "something ran"
    return str(result.exception)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"grdi": {}}, "grdi: unknown field"),
        ({"metrics": ["eror"]}, "'eror' is not reported by this task; known: auroc, error"),
        ({"grid": {}}, "grid: is empty"),
        ({"grid": {"lr": []}}, "grid: lr has no values"),
        ({"grid": {"lr": [0.01, 0.01]}}, "grid: lr has a value twice"),
        ({"seeds": [1, 2, 1]}, "seeds: 1 is given twice"),
        ({"seeds": []}, "seeds"),
        ({"baseline": "lr=0.03"}, "'lr=0.03' is not a variant; these are lr=0.01, lr=0.02"),
        ({"base": {"stpes": 4}}, "variant lr=0.01: stpes: unknown field"),
        ({"base": {"steps": "many"}}, "variant lr=0.01: steps: Input should be a valid integer"),
        ({"task": "toy-scribe"}, "'toy-scribe' is not known; known are toy-scribes"),
        ({"task": "tiny_study:NOTHING"}, "tiny_study:NOTHING cannot be loaded"),
        ({"variants": {"a": {}}}, "exactly one of `grid` and `variants`"),
        ({"name": "no/slash"}, "name"),
    ],
)
def test_a_study_file_is_refused_by_the_name_of_what_is_wrong(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    assert words in refused(yaml.safe_dump({**GOOD, **change}), tmp_path)


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    assert "'name' is given twice" in refused(yaml.safe_dump(GOOD) + "name: other\n", tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["run", str(tmp_path / "nowhere.yaml")])
    assert "nowhere.yaml: cannot be read (No such file" in str(result.exception)


def test_results_of_another_configuration_are_neither_overwritten_nor_mixed_in(tmp_path: Path) -> None:
    spec = StudySpec.model_validate(GOOD)
    first = planned_runs(spec, tmp_path)[0]
    execute(spec, first)
    file = tmp_path / "study.yaml"
    file.write_text(yaml.safe_dump({**GOOD, "base": {"steps": 5}}))
    result = CliRunner().invoke(app, ["run", str(file), "--results", str(tmp_path)])
    assert isinstance(result.exception, StudyError)
    assert first.folder.name in str(result.exception)
    assert "steps was 4 and is now 5" in str(result.exception)


def test_a_full_disk_names_the_file_and_the_run_can_be_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = StudySpec.model_validate(GOOD)
    run = planned_runs(spec, tmp_path)[0]
    room = os.fsync

    def full(number: int) -> None:
        if list(tmp_path.rglob(".items.parquet.*")):
            raise OSError(errno.ENOSPC, "No space left on device")
        room(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match=r"items\.parquet: cannot be written \(No space left on device\)"):
        execute(spec, run)
    assert not run.done
    monkeypatch.setattr(os, "fsync", room)
    execute(spec, run)
    assert run.done
    assert (run.folder / "steps.log").read_text().count("step") == 4, "finished training was done again"
