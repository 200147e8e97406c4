"""Runs the missing runs of a study side by side in worker processes, and collects their figures."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from handshift.core.atomic import write_text
from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.engine.engine import Engine
from handshift.study.collected import Provenance, collect, load_provenance
from handshift.study.items import save_items
from handshift.study.provenance import Origin, origin
from handshift.study.run_choice import RunChoice
from handshift.study.run_folders import DONE, DRAFT, StudyRun, describe, plan, refuse_other_config
from handshift.study.spec import StudySpec
from handshift.study.study_record import StudyRecord, save_record
from handshift.study.task import checked_configs, find_task

LOCK_PATIENCE = 10.0  # seconds; a worker whose runner was killed notices within one


@dataclass(frozen=True)
class StudyFolders:
    """Where studies are collected, and where their runs work.

    Args:
        results: Folder of all studies' tables.
        work: Folder of all studies' runs: checkpoints, journals, figures until they are collected.
    """

    results: Path = Path("results")
    work: Path = Path("runs/studies")


@dataclass(frozen=True)
class RunEvent:
    """A run that ended: after ``seconds``, or with ``error``."""

    run: StudyRun
    seconds: float = 0.0
    error: str | None = None


def planned_runs(spec: StudySpec, folders: StudyFolders, draft: bool = False) -> list[StudyRun]:
    """Check the whole study and list its runs; nothing is written.

    Args:
        spec: The study.
        folders: Where to look for runs that were started or collected before.
        draft: Whether missing runs are drafts. A draft that was collected counts as done for drafts only.

    Raises:
        StudyError: A configuration or metric is wrong, or results were made with another configuration.
    """
    task = find_task(spec.task)
    configs = checked_configs(spec, task)
    plain = {variant: config.model_dump(mode="json") for variant, config in configs.items()}
    work = folders.work / spec.name / DRAFT if draft else folders.work / spec.name
    folder = folders.results / spec.name
    provenance = load_provenance(folder) or Provenance(study=StudyRecord.of(spec, task))
    if provenance.study.imported:
        raise StudyError(f"{folder} holds imported figures. Give the study another name.")
    collected = {(run.variant, run.seed) for run in provenance.runs if draft or not provenance.is_draft(run)}
    for variant, _ in collected:
        if variant in plain:
            refuse_other_config(folder, task.completed(provenance.configs[variant]), plain[variant])
    runs = plan(work, plain, spec.seeds, task.completed)
    return [replace(run, collected=(run.variant, run.seed) in collected) for run in runs]


def run_study(
    spec: StudySpec,
    folders: StudyFolders,
    jobs: int | None = None,
    on_event: Callable[[RunEvent], None] = lambda _: None,
    draft: bool = False,
    engine: Engine | None = None,
    choice: RunChoice | None = None,
) -> list[RunEvent]:
    """Run what is missing, collect what is finished, and return the runs that failed.

    Each run is one task in a pool of spawned workers; the others go on when one fails. On Ctrl-C every worker
    is asked once to save and stop.

    Args:
        spec: The study.
        folders: Where runs work and where their figures are collected.
        jobs: Runs side by side; one per core if not given.
        on_event: Called with each run that ends.
        draft: Allow code that differs from its commit, and mark the results as drafts.
        engine: Where runs are done; every node must see the same folders and code. If None, `jobs` processes
            of this machine, which Ctrl-C asks to save first.
        choice: Runs to do now; all that are missing if not given.

    Raises:
        DirtyTreeError: The code differs from its commit and ``draft`` is false.
        StudyError: The study cannot be run as it is, runs of other data were collected, or a worker process
            died.
    """
    work = folders.work / spec.name
    choice = choice or RunChoice()
    choice.check(spec)
    if missing := _missing(spec, folders, draft, choice):
        origin(draft)  # refuses changed code before anything is written
        _refuse_other_data(spec, missing, folders.results / spec.name)
    with locked(work):
        missing = _missing(spec, folders, draft, choice)
        save_record(work, StudyRecord.of(spec, find_task(spec.task)))
        try:
            if engine is not None:
                return _run_on(engine, spec, missing, on_event, draft)
            return _run_missing(spec, missing, jobs, on_event, draft)
        finally:
            collect(work, folders.results / spec.name)


def _missing(spec: StudySpec, folders: StudyFolders, draft: bool, choice: RunChoice) -> list[StudyRun]:
    return [run for run in planned_runs(spec, folders, draft) if not run.done and choice.holds(run)]


def _refuse_other_data(spec: StudySpec, missing: list[StudyRun], folder: Path) -> None:
    """Add no seed to a variant whose collected runs were made from other data."""
    task = find_task(spec.task)
    configs = checked_configs(spec, task)
    provenance = load_provenance(folder)
    collected = {run.variant: run.data_fingerprint for run in provenance.runs} if provenance else {}
    for variant in dict.fromkeys(run.variant for run in missing if run.variant in collected):
        now = task.fingerprint(configs[variant])
        if now != collected[variant]:
            raise StudyError(
                f"{folder}: runs of {variant!r} were made from other data (fingerprint {collected[variant]}, "
                f"now {now}). Give the study another name, or bring the data back."
            )


def execute(spec: StudySpec, run: StudyRun, draft: bool = False) -> float:
    """Do the run unless it is done; return the seconds it took. ``metrics.json`` is written last."""
    started = time.perf_counter()
    with _interruptible(), locked(run.folder, patience=LOCK_PATIENCE):
        if not run.done:
            _execute_locked(spec, run, draft)
    return time.perf_counter() - started


@contextmanager
def _interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt a run; a worker of Ray runs it in a thread, where signals cannot be set."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


_stopped = threading.Event()
"""Set in a worker whose run was interrupted."""


def _execute_unless_stopped(spec: StudySpec, run: StudyRun, draft: bool) -> float:
    """Do no further run after Ctrl-C: a pool hands its workers one run ahead, which it cannot take back."""
    if _stopped.is_set():
        raise KeyboardInterrupt
    try:
        return execute(spec, run, draft)
    except KeyboardInterrupt:
        _stopped.set()
        raise


def become_worker(threads: int, runner: int) -> None:
    """Set up a worker process: it ignores the terminal's Ctrl-C and ends when its runner has ended.

    The runner passes Ctrl-C on itself, once; a second copy from the terminal would mean "at once".

    Args:
        threads: Processor threads of the worker.
        runner: Process id of the runner. It is given, since a runner that was killed while its worker started
            is no longer the worker's parent.
    """
    if hasattr(os, "setsid"):  # not on Windows
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with, args=(runner,), daemon=True).start()
    os.environ["OMP_NUM_THREADS"] = str(threads)  # read by torch, which the task imports later


@dataclass(frozen=True)
class RunWork:
    """Makes the work of one worker of an engine: do runs of a study."""

    spec: StudySpec
    draft: bool

    def __call__(self) -> Callable[[StudyRun], float]:
        """Give the work a core of its own."""
        os.environ["OMP_NUM_THREADS"] = "1"  # read by torch, which the task imports later
        return lambda run: execute(self.spec, run, self.draft)


def _run_on(
    engine: Engine,
    spec: StudySpec,
    missing: list[StudyRun],
    on_event: Callable[[RunEvent], None],
    draft: bool,
) -> list[RunEvent]:
    # Absolute, because workers of a cluster start in folders of their own.
    absolute = [replace(run, folder=run.folder.absolute()) for run in missing]
    failed = []
    for outcome in engine.map(RunWork(spec, draft), absolute):
        event = RunEvent(outcome.item, outcome.result or 0.0, outcome.error)
        if outcome.error:
            failed.append(event)
        on_event(event)
    return failed


def _run_missing(
    spec: StudySpec,
    missing: list[StudyRun],
    jobs: int | None,
    on_event: Callable[[RunEvent], None],
    draft: bool,
) -> list[RunEvent]:
    if not missing:
        return []
    cores = _usable_cores()
    count = min(jobs or cores, len(missing))
    pool = ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=become_worker,
        initargs=(max(1, cores // count), os.getpid()),
    )
    try:
        futures = {pool.submit(_execute_unless_stopped, spec, run, draft): run for run in missing}
        return _wait_for(futures, on_event)
    except KeyboardInterrupt:
        for worker in multiprocessing.active_children():
            if worker.pid is not None:
                os.kill(worker.pid, signal.SIGINT)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _wait_for(futures: dict[Future[float], StudyRun], on_event: Callable[[RunEvent], None]) -> list[RunEvent]:
    failed = []
    for future in as_completed(futures):
        try:
            event = RunEvent(futures[future], seconds=future.result())
        except BrokenProcessPool as error:
            raise StudyError(
                f"a worker process died while {futures[future].folder.name} was running or waiting "
                "(killed, or out of memory?). Run the study again, perhaps with --jobs 1: it goes on."
            ) from error
        except Exception as error:  # a run's own error; the other runs go on
            event = RunEvent(futures[future], error=f"{type(error).__name__}: {error}")
            failed.append(event)
        on_event(event)
    return failed


def _execute_locked(spec: StudySpec, run: StudyRun, draft: bool) -> None:
    task = find_task(spec.task)
    config = checked_configs(spec, task)[run.variant]
    about = {
        "study": spec.name,
        "task": spec.task,
        "variant": run.variant,
        "seed": run.seed,
        "config": config.model_dump(mode="json"),
        "data_fingerprint": task.fingerprint(config),
        "started": _now(),
    }
    _remove_parts(run.folder)
    describe(run, about, _own_origin(draft))
    started = time.perf_counter()
    outcome = task.run(config, run.seed, run.folder)
    if outcome.items is not None:
        save_items(run.folder, outcome.items)
    finished = {
        "finished": _now(),
        "seconds": round(time.perf_counter() - started, 3),
        "metrics": {group: dict(values) for group, values in outcome.metrics.items()},
    }
    write_text(run.folder / DONE, json.dumps(finished, indent=1))


_commits: list[str | None] = []
"""The commit at this process's first run, whose code it has loaded."""


def _own_origin(draft: bool) -> Origin:
    """The origin of this process's code, which stays that of its first run when the work tree moves on."""
    found = origin(draft)
    _commits.append(found.commit)
    if found.commit != _commits[0]:
        raise StudyError(
            f"the work tree went from commit {_commits[0]} to {found.commit} while the study ran. Run the "
            "study again, best from a `git worktree` of its own."
        )
    return found


def _remove_parts(folder: Path) -> None:
    for part in folder.glob(".*.part"):  # half-written by a killed attempt
        part.unlink(missing_ok=True)


def _exit_with(runner: int) -> None:
    while os.getppid() == runner:
        time.sleep(0.5)
    os._exit(1)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _usable_cores() -> int:
    """Cores that this process may use; all of them where the system does not restrict a process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
