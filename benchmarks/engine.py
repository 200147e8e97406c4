"""Pages a second and core of `examine` on each engine, beside the cost of single pages, and memory.

Pages are drawn at 150 dpi by scribes. All engines examine the same pages, and their verdicts are compared.
With --ray a cluster of two nodes, each of its own processes, is started and stopped; --lose kills a worker
and takes a node away while it works.
Example: python benchmarks/engine.py --pages 300 --workers 2 --ray --lose
"""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from result_file import Benchmark

from handshift.attribution.verdict import Verdict
from handshift.core.errors import PageError
from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.engine.engine import Engine, Outcome
from handshift.engine.local_processes import LocalProcesses
from handshift.pipeline.examine_files import ExamineWork, FilePart
from handshift.report.findings_record import failure_record, page_record

DPI = 150.0
SINGLE = 12
"""Pages whose cost is measured one by one."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--pages", type=int, default=300)
    options.add_argument(
        "--drawn", type=int, default=24, help="different pages; the others are copies of them"
    )
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--ray", action="store_true")
    options.add_argument("--lose", action="store_true", help="kill a Ray worker and take a node away")
    options.add_argument("--long", type=int, default=0, help="pages of the run whose memory is followed")
    given = benchmark.begin()
    with tempfile.TemporaryDirectory() as folder:
        paths = _draw(Path(folder), given.pages, given.drawn)
        figures = _measure(paths, given.workers, given.ray, given.lose)
        if given.long:
            figures["memory"] = _memory(paths, given.long, given.workers)
    benchmark.write(figures)


def _draw(folder: Path, pages: int, drawn: int) -> list[Path]:
    for number in range(min(pages, drawn)):
        scribes = [Passage(Scribe(number), ENGLISH)]
        save_page(draw_page(scribes, seed=number, dpi=DPI), folder / f"{number:05d}.png")
    for number in range(drawn, pages):
        # Another file each, with the pixels of a page that was drawn.
        content = (folder / f"{number % drawn:05d}.png").read_bytes()
        (folder / f"{number:05d}.png").write_bytes(content + number.to_bytes(4, "big"))
    return sorted(folder.glob("*.png"))


def _measure(paths: list[Path], workers: int, with_ray: bool, lose: bool) -> dict[str, Any]:
    work = ExamineWork()()
    work(FilePart(paths[0]))
    single = [_cpu(partial(work, FilePart(path))) for path in paths[:SINGLE]]
    cost = statistics.mean(single)
    local, found = _run(LocalProcesses(workers), paths)
    figures: dict[str, Any] = {
        "pages": len(paths),
        "workers": workers,
        "dpi": DPI,
        "cpu_seconds_a_page_alone": round(cost, 3),
        "local": {**local, "of_single_page_cost": round(cost / local["cpu_seconds_a_page"], 3)},
    }
    if with_ray:
        with _cluster() as (engine, lose_node):
            ray, other = _run(engine, paths)
            figures["ray"] = {
                **ray,
                "of_local": round(local["cpu_seconds_a_page"] / ray["cpu_seconds_a_page"], 3),
                "verdicts_equal": other == found,
            }
            if lose:
                lossy, third = _run(engine, paths, lose_node)
                figures["ray_losing_a_worker_and_a_node"] = {**lossy, "verdicts_equal": third == found}
    return figures


def _run(
    engine: Engine, paths: list[Path], disturb: Callable[[int], None] = lambda done: None
) -> tuple[dict[str, Any], list[str]]:
    """Figures of one run, counted from the first result on, and its findings as text."""
    begun, found = time.perf_counter(), []
    first = busy = 0.0
    for done, outcome in enumerate(engine.map(ExamineWork(), (FilePart(path) for path in paths)), 1):
        found += _findings(outcome)
        if done == 1:
            first, busy = time.perf_counter(), _cpu_of_descendants()
        disturb(done)
        if done == len(paths):
            spent = _cpu_of_descendants() - busy
    seconds = time.perf_counter() - first
    figures = {
        "seconds": round(seconds, 1),
        "pages_a_second": round((len(paths) - 1) / seconds, 3),
        "cpu_seconds_a_page": round(spent / (len(paths) - 1), 3),
        "pages_a_cpu_second": round((len(paths) - 1) / spent, 3),
        "seconds_to_first": round(first - begun, 1),
        "outcomes": len(found),
    }
    return figures, found


def _findings(outcome: Outcome[FilePart, list[Verdict | PageError]]) -> list[str]:
    pages = outcome.result or outcome.item.lost(outcome.error or "")
    records = [failure_record(one) if isinstance(one, PageError) else page_record(one) for one in pages]
    return [json.dumps(record, sort_keys=True) for record in records]


def _memory(paths: list[Path], pages: int, workers: int) -> dict[str, float]:
    """Resident megabytes of this process and its workers after a tenth of the pages and at the end."""
    parts = (FilePart(paths[number % len(paths)]) for number in range(pages))
    early = 0.0
    for done, _ in enumerate(LocalProcesses(workers).map(ExamineWork(), parts), 1):
        if done == pages // 10:
            early = _resident()
        if done == pages:
            late = _resident()
    return {"pages": pages, "mb_at_a_tenth": round(early, 1), "mb_at_the_end": round(late, 1)}


def _cpu(work: Callable[[], object]) -> float:
    """Processor seconds of this process and the decoder it started."""
    before = _cpu_of_descendants()
    work()
    return _cpu_of_descendants() - before


def _descendants() -> list[Path]:
    """/proc of this process and everything below it, the processes of a local Ray cluster included."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(stat.parent.name)] = int(fields[1])
    ours = {os.getpid(), *_RAY}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return [Path("/proc") / str(pid) for pid in ours]


def _cpu_of_descendants() -> float:
    total = 0
    for process in _descendants():
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(map(int, fields[11:15]))  # user and system time, own and of children that have ended
    return total / os.sysconf("SC_CLK_TCK")


def _resident() -> float:
    total = 0
    for process in _descendants():
        try:
            total += int((process / "statm").read_text().split()[1])
        except OSError:
            continue
    return total * os.sysconf("SC_PAGE_SIZE") / 2**20


_RAY: set[int] = set()
"""Processes of Ray's nodes, which leave the tree of this process."""


@contextmanager
def _cluster() -> Iterator[tuple[Engine, Callable[[int], None]]]:
    from handshift.engine.ray_cluster import RayCluster, _ray

    _ray()
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**_node(), "include_dashboard": False})
    second = cluster.add_node(**_node())
    nodes: list[Any] = [cluster.head_node, second]
    for node in nodes:
        _RAY.update(process.process.pid for kind in node.all_processes.values() for process in kind)
    engine = RayCluster(cluster.address)

    def lose(done: int) -> None:
        if done == 20:
            workers = subprocess.run(
                ["pgrep", "-f", "ray::_Holder"], capture_output=True, text=True, check=False
            )
            mine = [int(pid) for pid in workers.stdout.split() if (Path("/proc") / pid) in _descendants()]
            os.kill(mine[0], signal.SIGKILL)
        if done == 60:
            threading.Thread(target=cluster.remove_node, args=(second,)).start()

    try:
        yield engine, lose
    finally:
        engine.close()
        cluster.shutdown()


def _node() -> dict[str, Any]:
    agents = (
        "metrics_agent_port",
        "metrics_export_port",
        "dashboard_agent_listen_port",
        "runtime_env_agent_port",
    )
    with ExitStack() as stack:
        sockets = [stack.enter_context(closing(socket.socket())) for _ in agents]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        ports = {name: one.getsockname()[1] for name, one in zip(agents, sockets, strict=True)}
    return {"num_cpus": 1, "object_store_memory": 80 << 20, **ports}


if __name__ == "__main__":
    main()
