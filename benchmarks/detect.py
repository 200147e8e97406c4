"""Seconds to build and score bags with the shipped detector, and what longer pages cost.

    python benchmarks/detect.py [--bags 20000] [--jobs 2]

Bags of 14 words are drawn from pages laid out as CSAFE's, vectors are noise, which costs the same. They are
divided among `jobs` processes, one thread each. Ends with status 1 if 20,000 bags take more than a minute.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from bags import PLANS, SEED, made_up_words
from result_file import Benchmark

from handshift.bag.draw import Drawer
from handshift.bag.pages import pages_of
from handshift.detect.score_bags import score_bags
from handshift.models.shipped_models import find_model

LIMIT = 60.0


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--bags", type=int, default=20_000)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--model", default=None)
    given = benchmark.begin()
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        list(pool.map(_ready, range(given.jobs)))  # starting Python is not what is measured
        start = time.perf_counter()
        share = [given.bags // given.jobs] * given.jobs
        cpu = list(pool.map(_build_and_score, share, range(given.jobs), [given.model] * given.jobs))
        took = time.perf_counter() - start
    result = {
        "model": find_model(given.model).card.id,
        "bags": sum(share),
        "words": 14,
        "jobs": given.jobs,
        "seconds": round(took, 1),
        "processor_seconds": round(sum(cpu), 1),
        "page_ms": {str(words): _page_ms(words, given.model) for words in (14, 80, 300)},
    }
    benchmark.write(result)
    sys.exit(int(took * 20_000 / sum(share) > LIMIT))


def _ready(number: int) -> int:
    return number


def _build_and_score(bags: int, number: int, model: str | None) -> float:
    start = time.process_time()
    table = made_up_words()
    pages = pages_of(table, np.unique(table.writer).tolist())
    drawn = Drawer(pages, PLANS["14 words, a block"]).draw(bags, np.random.default_rng([SEED, number]))
    score_bags(find_model(model).detector(threads=1), _noise(len(table.page), model), drawn)
    return time.process_time() - start


def _page_ms(words: int, model: str | None) -> float:
    detector, page = find_model(model).detector(threads=1), _noise(words, model)
    detector.score(page)
    start = time.process_time()
    for _ in range(5):
        detector.score(page)
    return round(1e3 * (time.process_time() - start) / 5, 1)


def _noise(words: int, model: str | None) -> np.ndarray:
    dimensions = len(find_model(model).covariances().mean)
    noise = np.random.default_rng(SEED).standard_normal((words, dimensions), np.float32)
    return noise / np.linalg.norm(noise, axis=1, keepdims=True)


if __name__ == "__main__":
    main()
