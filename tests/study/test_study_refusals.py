"""What is wrong with a study is said before anything runs, by name."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from tiny_study import tiny_study
from typer.testing import CliRunner

from handshift.cli.study import app
from handshift.core.atomic import WriteError
from handshift.core.errors import HandshiftError, StudyError
from handshift.study import runner
from handshift.study.collected import collect
from handshift.study.provenance import Origin
from handshift.study.runner import StudyFolders, execute, planned_runs
from handshift.study.spec import StudySpec
from handshift.study.study_record import StudyRecord, save_record
from handshift.study.task import find_task

GOOD = tiny_study()


def refused(content: str, tmp_path: Path, *options: str) -> str:
    file = tmp_path / "study.yaml"
    file.write_text(content)
    folders = ["--results", str(tmp_path / "results"), "--work", str(tmp_path / "work")]
    result = CliRunner().invoke(app, ["run", str(file), *folders, *options])
    assert isinstance(result.exception, HandshiftError)
    assert not list((tmp_path / "work").rglob("run.json")), "something ran"
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
    spec, folders = StudySpec.model_validate(GOOD), StudyFolders(tmp_path / "results", tmp_path / "work")
    first = planned_runs(spec, folders)[0]
    execute(spec, first, draft=True)
    file = tmp_path / "study.yaml"
    file.write_text(yaml.safe_dump({**GOOD, "base": {"steps": 5}}))
    options = ["run", str(file), "--results", str(folders.results), "--work", str(folders.work)]
    result = CliRunner().invoke(app, options)
    assert isinstance(result.exception, StudyError)
    assert first.folder.name in str(result.exception)
    assert "steps was 4 and is now 5" in str(result.exception)

    save_record(folders.work / "tiny", StudyRecord.of(spec, find_task(spec.task)))
    collect(folders.work / "tiny", folders.results / "tiny")
    shutil.rmtree(folders.work)
    collected = CliRunner().invoke(app, [*options, "--draft"])
    assert isinstance(collected.exception, StudyError)
    assert f"{folders.results / 'tiny'} was made with another configuration" in str(collected.exception)


def test_code_that_moves_to_another_commit_does_not_give_its_name_to_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, folders = StudySpec.model_validate(GOOD), StudyFolders(tmp_path / "results", tmp_path / "work")
    first, second, *_ = planned_runs(spec, folders)
    monkeypatch.setattr(runner, "_commits", [])
    monkeypatch.setattr(runner, "origin", lambda draft: Origin(commit="one"))
    execute(spec, first)
    monkeypatch.setattr(runner, "origin", lambda draft: Origin(commit="two"))
    with pytest.raises(StudyError, match="from commit one to two while the study ran"):
        execute(spec, second)
    assert not second.started


def test_a_full_disk_names_the_file_and_the_run_can_be_taken_up_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = StudySpec.model_validate(GOOD)
    run = planned_runs(spec, StudyFolders(tmp_path / "results", tmp_path / "work"))[0]
    room = os.fsync

    def full(number: int) -> None:
        if list(tmp_path.rglob(".items.parquet.*")):
            raise OSError(errno.ENOSPC, "No space left on device")
        room(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match=r"items\.parquet: cannot be written \(No space left on device\)"):
        execute(spec, run, draft=True)
    assert not run.done
    monkeypatch.setattr(os, "fsync", room)
    execute(spec, run, draft=True)
    assert run.done
    assert (run.folder / "steps.log").read_text().count("step") == 4, "finished training was done again"
