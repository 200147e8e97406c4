"""A study that was killed goes on: nothing done twice, nothing broken, the weights the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from tiny_study import tiny_study

from handshift.engine.engine import Engine
from handshift.engine.local_processes import LocalProcesses
from handshift.study.results import load_results
from handshift.study.run_folders import StudyRun
from handshift.study.runner import StudyFolders, execute, planned_runs, run_study
from handshift.study.spec import StudySpec, load_spec

HERE = Path(__file__).parent
STUDY = tiny_study("killed", steps=12, pause=0.05)


def start(file: Path, folders: StudyFolders) -> subprocess.Popen[bytes]:
    # A process started in the background ignores Ctrl-C, and so would what it starts.
    restore = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{restore}; from handshift.cli.study import app; app()"
    options = ["--results", folders.results, "--work", folders.work, "--jobs", "1", "--draft"]
    command = [sys.executable, "-c", code, "run", str(file), *map(str, options)]
    # Spawned workers import the main module again; "-c" has none, which keeps them clean.
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": python_path(), "OMP_NUM_THREADS": "1"})


def python_path() -> str:
    """This folder, for the task, before what the tests themselves are run with."""
    return os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))


def wait_for(condition: Callable[[], object], seconds: float = 60.0) -> None:
    give_up = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < give_up, "waited too long"
        time.sleep(0.01)


def weights(run: StudyRun) -> bytes:
    return (run.folder / "training" / "weights-00000012.safetensors").read_bytes()


def interrupt(file: Path, folders: StudyFolders, done: int, how: signal.Signals) -> int:
    """Run the study, end it in the training after ``done`` complete runs, return its exit code."""
    folder = folders.work / "killed" / "draft"
    study = start(file, folders)
    wait_for(
        lambda: (
            len(list(folder.glob("*/metrics.json"))) == done
            and len(list(folder.glob("*/training/last.json"))) == done + 1
        )
    )
    study.send_signal(how)
    return study.wait(30)


def test_a_study_killed_and_interrupted_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_text(yaml.safe_dump(STUDY))
    spec, folders = load_spec(file), StudyFolders(tmp_path / "results", tmp_path / "work")
    folder = folders.work / "killed" / "draft"

    assert interrupt(file, folders, 1, signal.SIGKILL) == -signal.SIGKILL
    done = {path: path.stat().st_mtime_ns for path in folder.glob("*/metrics.json")}
    assert interrupt(file, folders, 2, signal.SIGINT) == 130
    assert len(load_results(folders.results / "killed").provenance.runs) == len(
        list(folder.glob("*/metrics.json"))
    ), "what was finished before Ctrl-C was not collected"
    done |= {path: path.stat().st_mtime_ns for path in folder.glob("*/metrics.json") if path not in done}
    assert len(done) == 2, "another run was begun after Ctrl-C"
    assert start(file, folders).wait(60) == 0

    runs = planned_runs(spec, folders, draft=True)
    assert all(run.collected for run in runs)
    assert len(list(folder.glob("2*"))) == 4
    for path, when in done.items():
        assert path.stat().st_mtime_ns == when, f"{path} was done twice"
    assert not list(folder.rglob(".*.part"))
    # Only steps after the last checkpoint (every 2) are repeated, and only after the kill.
    assert sum(log.read_text().count("step") for log in folder.glob("*/steps.log")) <= 4 * 12 + 3

    whole = StudySpec.model_validate({**STUDY, "name": "whole", "base": {"steps": 12}})
    for run, twin in zip(runs, planned_runs(whole, folders), strict=True):
        execute(whole, twin, draft=True)
        assert weights(run) == weights(twin)
        assert (run.folder / "items.parquet").read_bytes() == (twin.folder / "items.parquet").read_bytes()


@pytest.mark.parametrize("engine", [None, LocalProcesses(2)])
def test_one_failing_run_does_not_stop_the_others_and_is_tried_again(
    engine: Engine | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", python_path())
    spec = StudySpec.model_validate(
        {**STUDY, "task": "tiny_study:CURSED", "seeds": [1, 2, 3], "name": "cursed"}
    )
    folders = StudyFolders(tmp_path / "results", tmp_path / "work")
    failed = run_study(spec, folders, jobs=2, draft=True, engine=engine)
    assert sorted(event.run.variant for event in failed) == ["lr=0.01", "lr=0.02"]
    assert {event.error for event in failed} == {"ValueError: seed 2 is cursed"}
    assert [run.seed for run in planned_runs(spec, folders, draft=True) if not run.done] == [2, 2]
    assert [(run.variant, run.seed) for run in load_results(folders.results / "cursed").provenance.runs] == [
        ("lr=0.01", 1),
        ("lr=0.01", 3),
        ("lr=0.02", 1),
        ("lr=0.02", 3),
    ]
