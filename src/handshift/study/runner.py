"""All missing runs of a study, side by side, in an order and with a bookkeeping that survive any end."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from handshift.lock import locked
from handshift.study.error import StudyError
from handshift.study.execute import become_worker, execute
from handshift.study.record import StudyRecord, save_record
from handshift.study.runs import Run, plan
from handshift.study.spec import StudySpec
from handshift.study.task import checked_configs, find_task


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
