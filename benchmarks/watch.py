"""A machine that is watched until it fails: delay to the alarm, false alarms, and kills in the middle.

    python benchmarks/watch.py [--gearbox ../shared/data/gfd_gearbox] [--detector row-column]

Simulated: five gearboxes, cold and warm, 300 maps each, a planet tooth that wears from map 150 on, watched
by the row/column statistic and by PatchCore (--detector for one of them); and as many maps of the same
gearboxes without a fault. Once `handshift maps watch` is killed (SIGKILL) three times, and its log compared
with that of an unbroken run.

Real gearbox: at each of ten loads a model learns from the first half of the healthy recording; the second
half and then the recording of the broken assembly arrive in pieces of 20 turns. All four sensors are joined,
or a4 watches alone.

Every finished piece is in --state: an interrupted call goes on with the next.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from journalled_pieces import add, rows
from result_file import Benchmark
from watch_gearbox import watched_loads
from watch_kills import killed_and_whole
from watch_simulated import CONDITIONS, DETECTORS, SEEDS, watched_gearbox

Piece = tuple[str, Callable[[Path], dict[str, Any]]]


def pieces(gearbox: Path | None, detectors: Sequence[str] = DETECTORS) -> Iterator[Piece]:
    """Name of each piece, and what measures it in a folder of its own; the cheapest first."""
    yield "kills", killed_and_whole
    if gearbox is not None:
        for sensors in ("all", "a4"):
            yield f"gearbox {sensors}", partial(watched_loads, folder=gearbox, sensors=sensors)
    for detector in detectors:
        for condition in CONDITIONS:
            for seed in SEEDS:
                name = f"simulated {detector} {condition} {seed}"
                yield name, partial(watched_gearbox, detector=detector, condition=condition, seed=seed)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--gearbox", type=Path, help="folder of recordings")
    benchmark.options.add_argument("--detector", choices=DETECTORS, nargs="+", default=list(DETECTORS))
    benchmark.options.add_argument("--state", type=Path, default=Path("runs/watch.jsonl"))
    given = benchmark.begin()
    torch.set_num_threads(1)
    given.state.parent.mkdir(parents=True, exist_ok=True)
    commit = benchmark.origin.commit
    found = {row["piece"]: row["figures"] for row in rows(given.state) if row["commit"] == commit}
    for name, measure in pieces(given.gearbox, given.detector):
        if name not in found:
            with tempfile.TemporaryDirectory() as home:
                found[name] = measure(Path(home))
            add(given.state, {"piece": name, "commit": commit, "figures": found[name]})
        print(name, found[name], flush=True)
    named = [name for name, _ in pieces(given.gearbox, given.detector)]
    benchmark.write({"pieces": {name: found[name] for name in named}})


if __name__ == "__main__":
    main()
