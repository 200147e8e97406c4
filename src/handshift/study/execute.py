"""One run, from its configuration to its figures, in whichever process it happens."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from handshift.atomic import write_text
from handshift.lock import locked
from handshift.study.items import save_items
from handshift.study.provenance import git_commit, versions
from handshift.study.runs import DONE, Run, describe
from handshift.study.spec import StudySpec
from handshift.study.task import checked_configs, find_task

LOCK_PATIENCE = 10.0  # seconds; a worker whose runner was killed notices within one


def become_worker(threads: int) -> None:
    """Set up a worker process: deaf to the terminal's Ctrl-C, gone when its runner is gone.

    The runner passes Ctrl-C on itself, once; a second copy from the terminal would mean "at once".
    """
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with, args=(os.getppid(),), daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = str(threads)  # read by torch, which the task imports later


def execute(spec: StudySpec, run: Run) -> float:
    """Do the run unless it is done; return the seconds it took. ``metrics.json`` is written last."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    started = time.perf_counter()
    try:
        with locked(run.folder, patience=LOCK_PATIENCE):
            if not run.done:
                _execute_locked(spec, run)
    finally:
        signal.signal(signal.SIGINT, previous)
    return time.perf_counter() - started


def _execute_locked(spec: StudySpec, run: Run) -> None:
    task = find_task(spec.task)
    config = checked_configs(spec, task)[run.variant]
    about = {
        "study": spec.name,
        "task": spec.task,
        "variant": run.variant,
        "seed": run.seed,
        "config": config.model_dump(mode="json"),
        "data_fingerprint": task.fingerprint(config),
        "git_commit": git_commit(),
        "versions": versions(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    _sweep(run.folder)
    describe(run, about)
    outcome = task.run(config, run.seed, run.folder)
    if outcome.items is not None:
        save_items(run.folder, outcome.items)
    figures = {group: dict(values) for group, values in outcome.metrics.items()}
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    write_text(run.folder / DONE, json.dumps({"finished": finished, "metrics": figures}, indent=1))


def _sweep(folder: Path) -> None:
    for part in folder.glob(".*.part"):  # half-written by a killed attempt
        part.unlink(missing_ok=True)


def _leave_with(runner: int) -> None:
    while os.getppid() == runner:
        time.sleep(0.5)
    os._exit(1)
