"""Our engine of Ray actors beside Ray Data's actor pool: undisturbed, with a worker killed, with a node lost.

Items take a fifth of a second of waiting each and no processor time, so that a busy machine changes little.
Each scenario is a process of its own on a cluster of two nodes that it starts and stops; one that is not done
after --patience seconds is stopped.
Example: python benchmarks/ray_data.py
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from process_tree import ELSEWHERE, descendants
from result_file import Benchmark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "engine"))
from two_nodes import two_nodes

SECONDS = 0.2
ENGINES = ("ours", "ray_data")
SCENARIOS = ("undisturbed", "worker_killed", "node_lost")
NAMES = (b"ray::_Holder", b"ray::MapWorker", b"ray::Map(")
"""Processes in which actors of either engine work."""


class Waiting:
    """Work of an actor: waits, and returns the item."""

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        time.sleep(SECONDS)
        return batch


class WaitingFactory:
    """The same work for our engine."""

    def __call__(self) -> Callable[[int], int]:
        work = Waiting()
        return lambda item: int(work({"item": item})["item"])


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--items", type=int, default=100)
    benchmark.options.add_argument("--patience", type=int, default=240, help="seconds")
    benchmark.options.add_argument("--one", nargs=2, help="engine and scenario; for internal use")
    given = benchmark.begin()
    if given.one:
        engine, name = given.one
        print(json.dumps(scenario(engine, name, given.items)), flush=True)
        os._exit(0)  # Ray's threads may wait for what was lost
    import ray

    benchmark.write(
        {
            "ray": ray.__version__,
            "items": given.items,
            "seconds_an_item": SECONDS,
            **{
                engine: {name: _apart(engine, name, given.items, given.patience) for name in SCENARIOS}
                for engine in ENGINES
            },
        }
    )


def _apart(engine: str, name: str, items: int, patience: int) -> dict[str, Any]:
    command = [sys.executable, __file__, "--draft", "--one", engine, name, "--items", str(items)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        written, _ = process.communicate(timeout=patience)
        found: dict[str, Any] = json.loads(written.splitlines()[-1])
    except subprocess.TimeoutExpired:
        found = {"not_finished_after": patience}
    finally:
        with suppress(ProcessLookupError):  # nothing of it is left
            os.killpg(process.pid, signal.SIGKILL)
    print(engine, name, found, flush=True)
    return found


def scenario(engine: str, name: str, items: int) -> dict[str, Any]:
    """Seconds from the first result to the last, the longest pause, and whether each item came once."""
    with two_nodes() as (ours, cluster, second):
        for node in (cluster.head_node, second):
            ELSEWHERE.update(one.process.pid for kind in node.all_processes.values() for one in kind)
        results = _ours(ours, items) if engine == "ours" else _ray_data(items)
        found, times = [], []
        for item in results:
            found.append(item)
            times.append(time.perf_counter())
            if len(found) == items // 4 and name == "worker_killed":
                os.kill(_actor(), signal.SIGKILL)
            if len(found) == items // 4 and name == "node_lost":
                threading.Thread(target=cluster.remove_node, args=(second,), daemon=True).start()
        pauses = [later - sooner for sooner, later in pairwise(times)]
        return {
            "seconds": round(times[-1] - times[0], 1),
            "longest_pause": round(max(pauses), 1),
            "each_once": sorted(found) == list(range(items)),
        }


def _ours(engine: Any, items: int) -> Iterator[int]:
    for outcome in engine.map(WaitingFactory(), range(items)):
        yield -1 if outcome.result is None else outcome.result


def _ray_data(items: int) -> Iterator[int]:
    import ray.data

    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    rows = ray.data.from_items([{"item": item} for item in range(items)], override_num_blocks=items)
    pool = ray.data.ActorPoolStrategy(min_size=1, max_size=2)  # with one node left there is room for one
    for row in rows.map_batches(Waiting, batch_size=1, compute=pool, num_cpus=1).iter_rows():
        yield int(row["item"])


def _actor() -> int:
    """A process in which an actor works."""
    for process in descendants():
        try:
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        if command.startswith(NAMES):
            return int(process.name)
    raise RuntimeError("no worker of Ray was found to be killed")


if __name__ == "__main__":
    main()
