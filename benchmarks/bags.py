"""Time and memory of bag sets, against arrays of their vectors.

    python benchmarks/bags.py [--bags 20000] [--dimensions 128] [--rounds 5]

Pages are laid out as CSAFE's: 60 writers, 3 sessions, 3 prompts, 3 repetitions, 30 to 110 words; vectors
are noise, which costs the same. Times are processor seconds of one thread, medians of the rounds. The peak is
what drawing allocates at most, the set itself among it. Ends with status 1 if drawing bags of 14 words takes
five seconds or the set takes more than 1 % of the bytes of its vectors.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import TypeVar

import numpy as np
from result_file import Benchmark

from handshift.bag.bagset import BagSet
from handshift.bag.batches import FreshBatches
from handshift.bag.draw import Drawer
from handshift.bag.pages import Key, documents_of, pages_of
from handshift.bag.patterns import Block, Blocks, Lines, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.bag.source_protocol import source_bags
from handshift.bag.storage import load_bags, save_bags
from handshift.bag.windows import windows

T = TypeVar("T")
SEED = 2026
KINDS = {Kind.SINGLE: 1, Kind.SPLICED: 1, Kind.MIXED: 2}
PLANS = {
    "14 words, a block": Plan(14, foreign=(1, 2, 3, 4, 7), kinds=KINDS),
    "14 words, all patterns, 2-4 writers": Plan(
        14,
        foreign=(1, 2, 3, 4, 7),
        patterns=(Block(), Blocks(2), Blocks(3), Scattered(), Lines()),
        writers=(2, 3, 4),
        kinds={**KINDS, Kind.PAGES: 1},
    ),
    "whole pages, a block": Plan(None, shares=(0.05, 0.1, 0.2, 0.3, 0.5), kinds=KINDS),
}


def made_up_words() -> SimpleNamespace:
    rng = np.random.default_rng(SEED)
    rows = []
    for prompt, usual in (("LND", 80), ("PHR", 32), ("WOZ", 100)):
        for writer in range(60):
            for page in range(9):
                session, repetition = divmod(page, 3)
                name = f"w{writer:04d}_s{session + 1:02d}_p{prompt}_r{repetition + 1:02d}.png"
                size = int(rng.integers(round(0.93 * usual), round(1.1 * usual) + 1))
                rows += [(name, f"w{writer:04d}", session + 1, prompt)] * size
    names = ("page", "writer", "session", "prompt")
    return SimpleNamespace(
        **{name: np.array(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}
    )


def seconds(work: Callable[[], T], rounds: int) -> tuple[float, T]:
    times = []
    for _ in range(rounds):
        start = time.process_time()
        made = work()
        times.append(time.process_time() - start)
    return round(statistics.median(times), 4), made


def peak(work: Callable[[], object]) -> float:
    tracemalloc.start()
    work()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return round(most / 1e6, 1)


def figures(bags: BagSet, took: float, dimensions: int) -> dict[str, object]:
    whole = 4 * dimensions * bags.signed.size
    return {
        "draw_s": took,
        "set_mb": round(bags.nbytes / 1e6, 3),
        "vectors_mb": round(whole / 1e6, 1),
        "set_over_vectors_%": round(100 * bags.nbytes / whole, 3),
    }


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--bags", type=int, default=20_000)
    options.add_argument("--dimensions", type=int, default=128)
    options.add_argument("--rounds", type=int, default=5)
    given = benchmark.begin()
    table = made_up_words()
    writers = np.unique(table.writer).tolist()
    pages = pages_of(table, writers)
    result: dict[str, object] = {
        "bags": given.bags,
        "dimensions": given.dimensions,
        "pages": len(pages),
        "words": len(table.page),
        "threads": 1,
    }
    sets = {}
    for name, plan in PLANS.items():

        def draw(plan: Plan = plan) -> BagSet:
            return Drawer(pages, plan).draw(given.bags, np.random.default_rng(SEED))

        took, sets[name] = seconds(draw, given.rounds)
        result[name] = figures(sets[name], took, given.dimensions) | {"draw_peak_mb": peak(draw)}

    documents = documents_of(table, writers, Key.SESSION)
    took, source = seconds(lambda: source_bags(documents, np.random.default_rng(SEED)), given.rounds)
    result["protocol source"] = {"bags": len(source)} | figures(source, took, given.dimensions)

    name, bags = next(iter(sets.items()))
    vectors = np.random.default_rng(SEED).standard_normal((len(table.page), given.dimensions), np.float32)
    rows = bags.padded()[0]
    result["vectors copied out, s"] = seconds(lambda: vectors[rows], min(3, given.rounds))[0]
    cut = windows(14, 5).size * given.bags * given.dimensions * 4
    result["vectors of windows of 5 (the source's arrays), MB"] = round(cut / 1e6, 1)
    result["set over the source's arrays, %"] = round(100 * bags.nbytes / cut, 3)
    fresh = FreshBatches(Drawer(pages, PLANS[name]), 64, SEED)
    numbers = iter(range(10**6))
    result["fresh batch of 64, ms"] = round(1e3 * seconds(lambda: fresh.batch(next(numbers)), 200)[0], 2)
    with tempfile.TemporaryDirectory() as folder:
        result["save, s"] = seconds(lambda: save_bags(bags, Path(folder)), given.rounds)[0]
        result["load, s"] = seconds(lambda: load_bags(Path(folder), len(vectors)), given.rounds)[0]
        result["files, MB"] = round(sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6, 3)
    benchmark.write(result)
    first = result[name]
    assert isinstance(first, dict)
    sys.exit(int(first["draw_s"] >= 5 or first["set_over_vectors_%"] > 1))


if __name__ == "__main__":
    main()
