"""One run, from its configuration to its figures, in whichever process it happens.

All missing runs of a study, side by side, in an order and with a bookkeeping that survive any end.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from handshift.core.atomic import write_text
from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.study.items import save_items
from handshift.study.provenance import git_commit, versions
from handshift.study.run_folders import DONE, Run, describe, plan
from handshift.study.spec import StudySpec
from handshift.study.study_record import StudyRecord, save_record
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


@dataclass(frozen=True)
class RunEvent:
    """A run that ended: after ``seconds``, or with ``error``."""

    run: Run
    seconds: float = 0.0
    error: str | None = None


def planned_runs(spec: StudySpec, results: Path) -> list[Run]:
    """Check the whole study and lay out its runs; nothing is written."""
    configs = checked_configs(spec, find_task(spec.task))
    plain = {variant: config.model_dump(mode="json") for variant, config in configs.items()}
    return plan(results / spec.name, plain, spec.seeds)


def run_study(
    spec: StudySpec, results: Path, jobs: int | None = None, tell: Callable[[RunEvent], None] = lambda _: None
) -> list[RunEvent]:
    """Run what is missing and return the runs that failed; the others go on when one fails.

    Each run is one task in a pool of spawned workers. On Ctrl-C every worker is asked once to save and stop.
    """
    folder = results / spec.name
    with locked(folder):
        runs = planned_runs(spec, results)
        task = find_task(spec.task)
        save_record(folder, StudyRecord.of(spec, task))
        missing = [run for run in runs if not run.done]
        if not missing:
            return []
        cores = len(os.sched_getaffinity(0))
        count = min(jobs or cores, len(missing))
        pool = ProcessPoolExecutor(
            count,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=become_worker,
            initargs=(max(1, cores // count),),
        )
        try:
            futures = {pool.submit(execute, spec, run): run for run in missing}
            return _followed(futures, tell)
        except KeyboardInterrupt:
            for worker in multiprocessing.active_children():
                if worker.pid is not None:
                    os.kill(worker.pid, signal.SIGINT)
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _followed(futures: dict[Future[float], Run], tell: Callable[[RunEvent], None]) -> list[RunEvent]:
    failed = []
    for future in as_completed(futures):
        try:
            event = RunEvent(futures[future], seconds=future.result())
        except BrokenProcessPool as error:
            raise StudyError(
                f"a worker process died while {futures[future].folder.name} was running or waiting "
                "(killed, or out of memory?). Run the study again, perhaps with --jobs 1: it goes on."
            ) from error
        except Exception as error:  # whatever a run throws is its own; the other runs are not to blame
            event = RunEvent(futures[future], error=f"{type(error).__name__}: {error}")
            failed.append(event)
        tell(event)
    return failed
