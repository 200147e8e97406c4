"""A study that was killed goes on: nothing done twice, nothing broken, the weights the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from handshift.study.run_folders import Run
from handshift.study.runner import execute, planned_runs, run_study
from handshift.study.spec import StudySpec, load_spec

HERE = Path(__file__).parent
STUDY = {
    "name": "killed",
    "task": "tiny_study:TRAINED",
    "base": {"steps": 12, "pause": 0.02},
    "grid": {"lr": [0.01, 0.02]},
    "seeds": [1, 2],
    "metrics": ["error"],
    "baseline": "lr=0.01",
}


def start(file: Path, results: Path) -> subprocess.Popen[bytes]:
    # Whoever runs the tests in the background is deaf to Ctrl-C, and so would be what they start.
    hear = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{hear}; from handshift.cli.study import app; app()"
    command = [sys.executable, "-c", code, "run", str(file), "--results", str(results), "--jobs", "1"]
    # Spawned workers import the main module again; "-c" has none, which keeps them clean.
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(HERE), "OMP_NUM_THREADS": "1"})


def wait_for(condition: object, seconds: float = 60.0) -> None:
    give_up = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < give_up, "waited too long"
        time.sleep(0.01)


def weights(run: Run) -> bytes:
    return (run.folder / "training" / "weights-00000012.safetensors").read_bytes()


def interrupt(file: Path, results: Path, done: int, how: signal.Signals) -> int:
    """Run the study, end it in the training after ``done`` complete runs, return its exit code."""
    folder = results / "killed"
    study = start(file, results)
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
    spec, results = load_spec(file), tmp_path / "results"
    folder = results / "killed"

    assert interrupt(file, results, 1, signal.SIGKILL) == -signal.SIGKILL
    done = {path: path.stat().st_mtime_ns for path in folder.glob("*/metrics.json")}
    assert interrupt(file, results, 2, signal.SIGINT) == 130
    done |= {path: path.stat().st_mtime_ns for path in folder.glob("*/metrics.json") if path not in done}
    assert len(done) < 4, "nothing was left to do"
    assert start(file, results).wait(60) == 0

    runs = planned_runs(spec, results)
    assert all(run.done for run in runs)
    assert len(list(folder.glob("2*"))) == 4
    for path, when in done.items():
        assert path.stat().st_mtime_ns == when, f"{path} was done twice"
    assert not list(folder.rglob(".*.part"))
    # Only steps after the last checkpoint (every 2) are lived through again, and only after the kill.
    assert sum(log.read_text().count("step") for log in folder.glob("*/steps.log")) <= 4 * 12 + 3

    whole = StudySpec.model_validate({**STUDY, "name": "whole", "base": {"steps": 12}})
    for run, twin in zip(runs, planned_runs(whole, results), strict=True):
        execute(whole, twin)
        assert weights(run) == weights(twin)
        assert (run.folder / "items.parquet").read_bytes() == (twin.folder / "items.parquet").read_bytes()


def test_one_failing_run_does_not_stop_the_others_and_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    spec = StudySpec.model_validate(
        {**STUDY, "task": "tiny_study:CURSED", "seeds": [1, 2, 3], "name": "cursed"}
    )
    failed = run_study(spec, tmp_path, jobs=2)
    assert sorted(event.run.variant for event in failed) == ["lr=0.01", "lr=0.02"]
    assert {event.error for event in failed} == {"ValueError: seed 2 is cursed"}
    assert [run.seed for run in planned_runs(spec, tmp_path) if not run.done] == [2, 2]
