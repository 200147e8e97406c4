"""The runs of `engine.py`: single pages, local processes, and a Ray cluster of two nodes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from process_tree import ELSEWHERE, OtherProcesses, Tenths, descendants, processor_seconds

from handshift.attribution.verdict import Verdict
from handshift.core.errors import PageError
from handshift.engine.engine import Engine, Outcome
from handshift.engine.local_processes import LocalProcesses
from handshift.pipeline.examine_files import ExamineWork, FilePart
from handshift.report.findings_record import failure_record, page_record

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engine"))
from two_nodes import two_nodes

KILLED_AFTER, LOST_AFTER = 20, 60
"""Pages after which a worker is killed and a node taken away."""

Found = tuple[dict[str, Any], list[str]]
"""Figures of a run, and its findings as text."""


def single_pages(paths: list[Path]) -> dict[str, Any]:
    """Pages one by one in this process and its decoder."""
    work = ExamineWork()()
    work(FilePart(paths[0]))  # starts the decoder
    clock = _Clock()
    for path in paths:
        work(FilePart(path))
    return clock.rates(len(paths), cores=1)


def local_run(paths: list[Path], workers: int) -> Found:
    """Pages on processes of this machine."""
    return _run(LocalProcesses(workers), paths)


def on_ray(paths: list[Path]) -> dict[str, Any]:
    """Figures of pages on a cluster of two nodes."""
    return ray_run(paths)[0]


def ray_run(paths: list[Path], lose: bool = False) -> Found:
    """Pages on a cluster of two nodes, of which a worker and then a node may be lost."""
    with _cluster() as (engine, lose_some):
        return _run(engine, paths, lose_some if lose else lambda done: None)


def digest(figures: dict[str, Any], found: list[str]) -> dict[str, Any]:
    """The figures, with a checksum of the findings."""
    examined = sum(json.loads(one)["status"] == "examined" for one in found)
    sha256 = hashlib.sha256("\n".join(found).encode()).hexdigest()
    return {**figures, "examined": examined, "sha256": sha256}


def findings_size(paths: list[Path]) -> dict[str, Any]:
    """Kilobytes of a page as `examine --parquet` writes it."""
    out = paths[0].parent.with_name("findings")
    command = [sys.executable, "-m", "handshift", "examine", *map(str, paths), "--parquet", str(out)]
    subprocess.run([*command, "--no-resume"], check=False, capture_output=True)
    size = sum(part.stat().st_size for part in out.glob("part-*"))
    return {"pages": len(paths), "kilobytes_a_page": round(size / len(paths) / 1000, 2)}


def memory(paths: list[Path], pages: int, workers: int | None) -> dict[str, Any]:
    """Resident megabytes of caller and workers over a long run; of a cluster if `workers` is None."""
    if workers is not None:
        return _resident(LocalProcesses(workers), paths, pages)
    with _cluster() as (engine, _):
        return _resident(engine, paths, pages)


def _resident(engine: Engine, paths: list[Path], pages: int) -> dict[str, Any]:
    parts = (FilePart(paths[number % len(paths)]) for number in range(pages))
    begun, resident, examined = time.perf_counter(), Tenths(pages), 0
    for done, outcome in enumerate(engine.map(ExamineWork(), parts), 1):
        examined += all(isinstance(one, Verdict) for one in outcome.result) if outcome.result else 0
        resident.note(done)
    return {
        "pages": pages,
        "examined": examined,
        "mb_at_each_tenth": resident.most,
        "seconds": round(time.perf_counter() - begun, 1),
    }


def _run(
    engine: Engine, paths: list[Path], disturb: Callable[[int], None] = lambda done: None
) -> tuple[dict[str, Any], list[str]]:
    """Figures of one run, counted from the first result on, and its findings as text."""
    begun, found, resident, figures = time.perf_counter(), [], Tenths(len(paths)), {}
    for done, outcome in enumerate(engine.map(ExamineWork(), (FilePart(path) for path in paths)), 1):
        found += _findings(outcome)
        if done == 1:
            clock = _Clock()
        resident.note(done)
        disturb(done)
        if done == len(paths):  # while all processes are there
            figures = clock.rates(len(paths) - 1, engine.workers)
    figures |= {
        "seconds_to_first": round(clock.begun - begun, 1),
        "mb_at_each_tenth": resident.most,
        "outcomes": len(found),
    }
    return figures, found


class _Clock:
    """Time, processor time of ours and that of others, from when it is made."""

    def __init__(self) -> None:
        self.begun, self._spent, self._others = time.perf_counter(), processor_seconds(), OtherProcesses()

    def rates(self, counted: int, cores: int) -> dict[str, Any]:
        seconds, spent = time.perf_counter() - self.begun, processor_seconds() - self._spent
        return {
            "counted": counted,
            "seconds": round(seconds, 2),
            "cpu_seconds": round(spent, 2),
            "pages_a_second_and_core": round(counted / seconds / cores, 4),
            "cores_taken_by_others": self._others.cores(),
            "quiet": self._others.quiet(),
        }


def _findings(outcome: Outcome[FilePart, list[Verdict | PageError]]) -> list[str]:
    pages = outcome.result or outcome.item.lost(outcome.error or "")
    records = [failure_record(one) if isinstance(one, PageError) else page_record(one) for one in pages]
    return [json.dumps(record, sort_keys=True) for record in records]


@contextmanager
def _cluster() -> Iterator[tuple[Engine, Callable[[int], None]]]:
    """The engine on two nodes, and what loses a worker and a node of them."""
    with two_nodes() as (engine, cluster, second):
        for node in (cluster.head_node, second):
            ELSEWHERE.update(process.process.pid for kind in node.all_processes.values() for process in kind)

        def lose(done: int) -> None:
            if done == KILLED_AFTER:
                os.kill(_actor(), signal.SIGKILL)
            if done == LOST_AFTER:
                threading.Thread(target=cluster.remove_node, args=(second,)).start()

        try:
            yield engine, lose
        finally:
            ELSEWHERE.clear()


def _actor() -> int:
    """A process of this cluster in which an actor works."""
    for process in descendants():
        try:
            if b"ray::MapWorker" in (process / "cmdline").read_bytes():
                return int(process.name)
        except OSError:
            continue
    raise RuntimeError("no worker of Ray was found to be killed")
