"""Pages a second and core of `examine` on each engine, beside the cost of single pages, and memory.

throughput: rounds over pages drawn at 150 dpi: some in one process one by one, then all on local processes,
then all on a Ray cluster of two nodes, each of its own processes, that is started and stopped here.
verdicts: small drawn pages on local processes, on Ray, and on Ray with a worker killed and a node taken away;
findings are compared as text.
memory: resident memory of caller and workers of each engine over a long run of slips.
All of it is measured at one commit: finished pieces are kept in --state with theirs, the same call goes on,
and the file is written when none is missing. With --minutes no piece is begun after so many (the longest
takes 6 minutes on two cores), with --only those of one part. Each run notes the cores that others took.
Example: python benchmarks/engine.py
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import journalled_pieces
from engine_pages import DPI, PAGE, SLIP, draw_full, draw_small
from engine_runs import (
    KILLED_AFTER,
    LOST_AFTER,
    digest,
    findings_size,
    local_run,
    memory,
    on_ray,
    ray_run,
    single_pages,
)
from result_file import Benchmark

PARTS = ("throughput", "verdicts", "memory")
SINGLE = 24
"""Pages of a round whose cost is measured one by one."""
DIFFERENT_SLIPS = 100


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--rounds", type=int, default=3, help="of throughput")
    options.add_argument("--pages", type=int, default=100, help="of each round, at 150 dpi")
    options.add_argument("--drawn", type=int, default=24, help="different pages; the others are their copies")
    options.add_argument("--verdicts", type=int, default=300, help="small pages, all different")
    options.add_argument("--long", type=int, default=10_000, help="slips of the memory of local processes")
    options.add_argument("--long-ray", type=int, default=3_000, help="slips of the memory of Ray")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--minutes", type=float, help="begin no piece after so many, and end")
    options.add_argument("--only", choices=PARTS, help="begin pieces of this part only")
    options.add_argument("--state", type=Path, default=Path("runs/engine"))
    given = benchmark.begin()
    given.state.mkdir(parents=True, exist_ok=True)
    about = {"commit": benchmark.origin.commit, "workers": given.workers}
    pieces = Pieces(given.state / "pieces.jsonl", about, given.minutes)
    full = draw_full(given.state / "full", given.pages, given.drawn)
    small = draw_small(given.state / "small", given.verdicts, PAGE)
    slips = draw_small(given.state / "slips", DIFFERENT_SLIPS, SLIP)
    measures: dict[str, Callable[[], dict[str, Any]]] = {
        "throughput": lambda: throughput(pieces, full, given.workers, given.rounds),
        "verdicts": lambda: verdicts(pieces, small, given.workers),
        "memory": lambda: memories(pieces, slips, given.workers, given.long, given.long_ray),
    }
    try:
        if given.only:
            measures[given.only]()
            pieces.end()
        figures = {name: measure() for name, measure in measures.items()}
    except TimeIsUpError as error:
        print(f"{error}; the same call goes on with it")
        return
    given.minutes = given.only = None  # they change no figure, so the command that is printed goes without
    timed = [run for runs in figures["throughput"]["runs"].values() for run in runs]
    quiet = all(run["quiet"] for run in timed)
    benchmark.write({"workers": given.workers, "quiet": quiet, **figures})


class TimeIsUpError(Exception):
    """A piece is not begun."""


class Pieces:
    """Finished pieces of this benchmark; each is measured once for a commit.

    Args:
        state: File of the journal.
        about: What a piece must have been measured with.
        minutes: After how many no piece is begun.
    """

    def __init__(self, state: Path, about: dict[str, Any], minutes: float | None) -> None:
        self._state, self._about = state, about
        self._end = time.monotonic() + 60 * minutes if minutes else None
        rows = [row for row in journalled_pieces.rows(state) if about.items() <= row.items()]
        self._found = {row["piece"]: row["found"] for row in rows}

    def end(self) -> None:
        """Begin no further piece."""
        self._end = time.monotonic()

    def get(self, name: str, measure: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What was found before, or is found now."""
        if name not in self._found:
            if self._end is not None and time.monotonic() > self._end:
                raise TimeIsUpError(f"{name} is not begun")
            self._found[name] = measure()
            journalled_pieces.add(self._state, {**self._about, "piece": name, "found": self._found[name]})
            print(f"{name}: {json.dumps(self._found[name])}", flush=True)
        found: dict[str, Any] = self._found[name]
        return found


def throughput(pieces: Pieces, paths: list[Path], workers: int, rounds: int) -> dict[str, Any]:
    """Cost of single pages, of local processes and of Ray in turn, and their ratios over all rounds."""
    kinds: dict[str, Callable[[], dict[str, Any]]] = {
        "single": partial(single_pages, paths[:SINGLE]),
        "local": lambda: local_run(paths, workers)[0],
        "ray": partial(on_ray, paths),
    }
    runs: dict[str, list[dict[str, Any]]] = {kind: [] for kind in kinds}
    for number in range(rounds):
        for kind, measure in kinds.items():
            runs[kind].append(pieces.get(f"{kind}-{len(paths)}-{number}", measure))
    sums = {kind: _sum(runs[kind], workers) for kind in ("local", "ray")}
    cost = sum(run["cpu_seconds"] for run in runs["single"]) / sum(run["counted"] for run in runs["single"])
    return {
        "pages": len(paths),
        "rounds": rounds,
        "dpi": DPI,
        # By processor time: the threads of its libraries let one process take more than one core.
        "single": {"pages_a_second_and_core": round(1 / cost, 4), "cpu_seconds_a_page": round(cost, 4)},
        **sums,
        "local_of_single": round(sums["local"]["pages_a_second_and_core"] * cost, 3),
        "ray_of_local": round(
            sums["ray"]["pages_a_second_and_core"] / sums["local"]["pages_a_second_and_core"], 3
        ),
        "findings": pieces.get("findings", partial(findings_size, paths[:SINGLE])),
        "runs": runs,
    }


def _sum(runs: list[dict[str, Any]], cores: int) -> dict[str, float]:
    """Of several runs together."""
    pages = sum(run["counted"] for run in runs)
    return {
        "pages_a_second_and_core": round(pages / sum(run["seconds"] for run in runs) / cores, 4),
        "cpu_seconds_a_page": round(sum(run["cpu_seconds"] for run in runs) / pages, 4),
    }


def verdicts(pieces: Pieces, paths: list[Path], workers: int) -> dict[str, Any]:
    """Whether Ray finds what local processes find, undisturbed and with a worker and a node lost."""
    count = len(paths)
    local = pieces.get(f"verdicts-local-{count}", lambda: digest(*local_run(paths, workers)))
    ray = pieces.get(f"verdicts-ray-{count}", lambda: digest(*ray_run(paths)))
    lossy = pieces.get(f"verdicts-lossy-{count}", lambda: digest(*ray_run(paths, lose=True)))
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


def memories(
    pieces: Pieces, paths: list[Path], workers: int, pages: int, pages_on_ray: int
) -> dict[str, Any]:
    """Resident memory over a long run on each engine."""
    return {
        "words_a_page": SLIP.words,
        "different_pages": len(paths),
        "local": pieces.get(f"memory-local-{pages}", partial(memory, paths, pages, workers)),
        "ray": pieces.get(f"memory-ray-{pages_on_ray}", partial(memory, paths, pages_on_ray, None)),
    }


if __name__ == "__main__":
    main()
