"""Pages a second and core of `examine` on each engine, beside the cost of single pages, and memory.

throughput: pages drawn at 150 dpi, in one process one by one, on local processes, and on a Ray cluster of
two nodes, each of its own processes, that is started and stopped here.
verdicts: small drawn pages on local processes, on Ray, and on Ray with a worker killed and a node taken away;
findings are compared as text.
memory: resident memory of local processes and their caller over a long run of slips, and over the sheets of
throughput.
Finished pieces are kept in --state, and the same call goes on; one piece takes 10 minutes at most on two
quiet cores. A part that is not measured (0 pages) stays as it is in --out, with the commit it is of.
Throughput means something on a quiet machine only; its processor time says more elsewhere.
Example: python benchmarks/engine.py --pages 300 --verdicts 300 --long 10000
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import journalled_pieces
from engine_pages import DPI, PAGE, SLIP, draw_full, draw_small
from process_tree import ELSEWHERE, Tenths, descendants, processor_seconds
from result_file import Benchmark

from handshift.attribution.verdict import Verdict
from handshift.core.errors import PageError
from handshift.engine.engine import Engine, Outcome
from handshift.engine.local_processes import LocalProcesses
from handshift.pipeline.examine_files import ExamineWork, FilePart
from handshift.report.findings_record import failure_record, page_record

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engine"))
from two_nodes import two_nodes

SINGLE = 24
"""Pages whose cost is measured one by one."""


DIFFERENT_SLIPS = 100
KILLED_AFTER, LOST_AFTER = 20, 60
"""Pages after which a worker is killed and a node taken away."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--pages", type=int, default=300, help="at 150 dpi, of throughput; 0 for none")
    options.add_argument("--drawn", type=int, default=24, help="different pages; the others are their copies")
    options.add_argument("--verdicts", type=int, default=300, help="small pages, all different; 0 for none")
    options.add_argument("--long", type=int, default=10_000, help="slips of the memory; 0 for none")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--state", type=Path, default=Path("runs/engine"))
    given = benchmark.begin()
    given.state.mkdir(parents=True, exist_ok=True)
    pieces = Pieces(
        given.state / "pieces.jsonl", {"commit": benchmark.origin.commit, "workers": given.workers}
    )
    figures: dict[str, Any] = {"workers": given.workers, **kept_parts(given.out)}
    if given.pages:
        paths = draw_full(given.state / "full", given.pages, given.drawn)
        figures["throughput"] = throughput(pieces, paths, given.workers)
    if given.verdicts:
        paths = draw_small(given.state / "small", given.verdicts, PAGE)
        figures["verdicts"] = verdicts(pieces, paths, given.workers)
    if given.long:
        paths = draw_small(given.state / "slips", DIFFERENT_SLIPS, SLIP)
        figures["memory"] = pieces.get(
            f"memory-{given.long}", partial(memory, paths, given.long, given.workers)
        )
    benchmark.write(figures)


def kept_parts(file: Path) -> dict[str, Any]:
    """The parts of an earlier result, each with its commit; those that are measured now take their places."""
    if not file.exists():
        return {}
    earlier = json.loads(file.read_text(encoding="utf-8"))
    commit = earlier["provenance"]["origin"]["commit"]
    parts = ("throughput", "verdicts", "memory")
    return {name: {"commit": commit, **earlier[name]} for name in parts if name in earlier}


class Pieces:
    """Finished pieces of this benchmark; each is measured once for a commit."""

    def __init__(self, state: Path, about: dict[str, Any]) -> None:
        self._state, self._about = state, about
        rows = [row for row in journalled_pieces.rows(state) if about.items() <= row.items()]
        self._found = {row["piece"]: row["found"] for row in rows}

    def get(self, name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What was found before, or is found now; with the load of the machine at its begin."""
        if name not in self._found:
            load = round(os.getloadavg()[0], 1)
            self._found[name] = {**measure(), "load_at_start": load}
            row = {**self._about, "piece": name, "found": self._found[name]}
            journalled_pieces.add(self._state, row)
            print(f"{name}: {json.dumps(self._found[name])}", flush=True)
        found: dict[str, Any] = self._found[name]
        return found


def throughput(pieces: Pieces, paths: list[Path], workers: int) -> dict[str, Any]:
    """Cost of single pages, of local processes and of Ray, and their ratios."""
    count = len(paths)
    single = pieces.get("single", partial(_single, paths[:SINGLE]))
    local = pieces.get(f"local-{count}", lambda: _run(LocalProcesses(workers), paths)[0])
    ray = pieces.get(f"ray-{count}", partial(_on_ray, paths))
    findings = pieces.get("findings", partial(_findings_size, paths[:SINGLE]))
    cost = single["cpu_seconds_a_page"]
    return {
        "pages": count,
        "dpi": DPI,
        "single": single,
        "findings": findings,
        "local": {**local, "of_single_page_cost": round(cost / local["cpu_seconds_a_page"], 3)},
        "ray": {
            **ray,
            "of_local": round(ray["pages_a_second"] / local["pages_a_second"], 3),
            "of_local_by_processor_time": round(local["cpu_seconds_a_page"] / ray["cpu_seconds_a_page"], 3),
        },
    }


def verdicts(pieces: Pieces, paths: list[Path], workers: int) -> dict[str, Any]:
    """Whether Ray finds what local processes find, undisturbed and with a worker and a node lost."""
    count = len(paths)
    local = pieces.get(f"verdicts-local-{count}", lambda: _digest(*_run(LocalProcesses(workers), paths)))
    ray = pieces.get(f"verdicts-ray-{count}", lambda: _digest(*_ray_run(paths, lose=False)))
    lossy = pieces.get(f"verdicts-lossy-{count}", lambda: _digest(*_ray_run(paths, lose=True)))
    same = {name: found["sha256"] == local["sha256"] for name, found in (("ray", ray), ("lossy", lossy))}
    return {
        "pages": count,
        "words_a_page": PAGE.words,
        "examined": local["examined"],
        "ray_equals_local": same["ray"],
        "ray_losing_a_worker_and_a_node_equals_local": same["lossy"],
        "worker_killed_after": KILLED_AFTER,
        "node_lost_after": LOST_AFTER,
        "outcomes": {"local": local["outcomes"], "ray": ray["outcomes"], "lossy": lossy["outcomes"]},
    }


def _single(paths: list[Path]) -> dict[str, Any]:
    work = ExamineWork()()
    work(FilePart(paths[0]))
    spent = [_cpu(partial(work, FilePart(path))) for path in paths]
    return {"pages": len(paths), "cpu_seconds_a_page": round(statistics.mean(spent), 4)}


def _findings_size(paths: list[Path]) -> dict[str, Any]:
    """Kilobytes of a page as `examine --parquet` writes it."""
    out = paths[0].parent.with_name("findings")
    command = [sys.executable, "-m", "handshift", "examine", *map(str, paths), "--parquet", str(out)]
    subprocess.run([*command, "--no-resume"], check=False, capture_output=True)
    size = sum(part.stat().st_size for part in out.glob("part-*"))
    return {"pages": len(paths), "kilobytes_a_page": round(size / len(paths) / 1000, 2)}


def _on_ray(paths: list[Path]) -> dict[str, Any]:
    return _ray_run(paths, lose=False)[0]


def _ray_run(paths: list[Path], lose: bool) -> tuple[dict[str, Any], list[str]]:
    with _cluster() as (engine, lose_some):
        return _run(engine, paths, lose_some if lose else lambda done: None)


def _run(
    engine: Engine, paths: list[Path], disturb: Callable[[int], None] = lambda done: None
) -> tuple[dict[str, Any], list[str]]:
    """Figures of one run, counted from the first result on, and its findings as text."""
    begun, found, memory = time.perf_counter(), [], Tenths(len(paths))
    first = busy = spent = 0.0
    for done, outcome in enumerate(engine.map(ExamineWork(), (FilePart(path) for path in paths)), 1):
        found += _findings(outcome)
        if done == 1:
            first, busy = time.perf_counter(), processor_seconds()
        memory.note(done)
        disturb(done)
        if done == len(paths):
            spent = processor_seconds() - busy
    seconds = time.perf_counter() - first
    figures = {
        "seconds": round(seconds, 1),
        "pages_a_second": round((len(paths) - 1) / seconds, 3),
        "pages_a_second_and_core": round((len(paths) - 1) / seconds / engine.workers, 3),
        "cpu_seconds_a_page": round(spent / (len(paths) - 1), 4),
        "seconds_to_first": round(first - begun, 1),
        "mb_at_each_tenth": memory.most,
        "outcomes": len(found),
    }
    return figures, found


def _findings(outcome: Outcome[FilePart, list[Verdict | PageError]]) -> list[str]:
    pages = outcome.result or outcome.item.lost(outcome.error or "")
    records = [failure_record(one) if isinstance(one, PageError) else page_record(one) for one in pages]
    return [json.dumps(record, sort_keys=True) for record in records]


def _digest(figures: dict[str, Any], found: list[str]) -> dict[str, Any]:
    examined = sum(json.loads(one)["status"] == "examined" for one in found)
    sha256 = hashlib.sha256("\n".join(found).encode()).hexdigest()
    return {**figures, "examined": examined, "sha256": sha256}


def memory(paths: list[Path], pages: int, workers: int) -> dict[str, Any]:
    """Resident megabytes of this process and its workers over a long run of slips."""
    parts = (FilePart(paths[number % len(paths)]) for number in range(pages))
    resident, examined = Tenths(pages), 0
    for done, outcome in enumerate(LocalProcesses(workers).map(ExamineWork(), parts), 1):
        examined += all(isinstance(one, Verdict) for one in outcome.result) if outcome.result else 0
        resident.note(done)
    return {
        "pages": pages,
        "examined": examined,
        "words_a_page": SLIP.words,
        "different_pages": len(paths),
        "mb_at_each_tenth": resident.most,
    }


def _cpu(work: Callable[[], object]) -> float:
    """Processor seconds of this process and the decoder it started."""
    before = processor_seconds()
    work()
    return processor_seconds() - before


@contextmanager
def _cluster() -> Iterator[tuple[Engine, Callable[[int], None]]]:
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


if __name__ == "__main__":
    main()
