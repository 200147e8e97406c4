"""Find this hand: recall and time over real, drawn and sampled pages, and the index beside faiss.

Queries are one page of each test writer; the writer's other pages are in the store with those of all other
writers. The store is then extended by page vectors sampled from the PLDA model of writers, sessions and
words, as --extended says (marked as sampled). Brute force is the exact comparison with every hand.
Example: python benchmarks/find.py --vectors runs/csafe-vectors --split studies/splits/csafe.json
(the vectors by `handshift embed ../shared/data/csafe --out runs/csafe-vectors`)
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.corpus.split import WriterSplit
from handshift.detect.plda import Plda
from handshift.embedding.prototypes import Prototypes
from handshift.embedding.word_vectors import WordVectors
from handshift.pipeline.comparer import Comparer
from handshift.store.hand_index import query_near, rows_near
from handshift.store.inverted_file import PROBED, InvertedFile

CANDIDATES = 400
Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Pages:
    """Pages as prototypes, and who wrote them."""

    means: NDArray[np.float64]
    counts: NDArray[np.float64]
    writer: NDArray[np.str_]

    def prototypes(self, rows: Any = slice(None)) -> Prototypes:
        return Prototypes(self.means[rows], self.counts[rows])


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--vectors", type=Path, nargs="+", help="folders of `handshift embed`")
    options.add_argument("--split", type=Path, nargs="+", help="their splits; test writers are the queries")
    options.add_argument("--extended", type=int, default=100_000, help="pages with those that are sampled")
    options.add_argument("--words", type=int, default=2_000_000, help="word vectors of the stress test")
    given = benchmark.begin()
    comparer = Comparer(threads=1)
    figures: dict[str, Any] = {}
    if given.vectors:
        figures |= _archive(given.vectors, given.split, given.extended, comparer)
    if given.words:
        figures["words"] = _stress(comparer.same_writer.plda, given.words)
    benchmark.write(figures)


def _archive(vectors: list[Path], splits: list[Path], extended: int, comparer: Comparer) -> dict[str, Any]:
    parts = [_pages(WordVectors.load(folder), split) for folder, split in zip(vectors, splits, strict=True)]
    pages = Pages(
        *(np.concatenate([getattr(part, name) for part, _ in parts]) for name in Pages.__annotations__)
    )
    tested = set().union(*(writers for _, writers in parts))
    rng = np.random.default_rng(0)
    queries = np.array(
        [
            rng.choice(rows)
            for writer in sorted(tested)
            if len(rows := np.flatnonzero(pages.writer == writer)) > 1
        ]
    )
    kept = np.ones(len(pages.writer), bool)
    kept[queries] = False
    real = Pages(pages.means[kept], pages.counts[kept], pages.writer[kept])
    asked = Pages(pages.means[queries], pages.counts[queries], pages.writer[queries])
    figures: dict[str, Any] = {
        "queries": len(queries),
        "real": _search(asked, real, comparer),
    }
    if extended > len(real.writer):
        sampled = _sampled(comparer.same_writer.plda, extended - len(real.writer), rng)
        everything = Pages(
            *(np.concatenate([getattr(real, name), getattr(sampled, name)]) for name in Pages.__annotations__)
        )
        figures["with_sampled"] = {
            "real_pages": len(real.writer),
            "sampled_pages": len(sampled.writer),
            **_search(asked, everything, comparer),
        }
    return figures


def _pages(table: WordVectors, split: Path) -> tuple[Pages, set[str]]:
    names, of, counts = np.unique(table.page, return_inverse=True, return_counts=True)
    sums = np.zeros((len(names), table.vectors.shape[1]))
    np.add.at(sums, of, table.vectors)
    first = np.zeros(len(names), np.int64)
    first[of[::-1]] = np.arange(len(of))[::-1]
    enough = counts >= 8
    test = set(WriterSplit.load(split).parts["test"])
    pages = Pages((sums / counts[:, None])[enough], counts[enough].astype(float), table.writer[first][enough])
    return pages, test & set(pages.writer.tolist())


def _sampled(model: Plda, pages: int, rng: np.random.Generator, words: float = 60.0) -> Pages:
    """Pages x = mean + writer + session + word/√n, four of each writer, in raw dimensions."""
    writers = -(-pages // 4)
    dims = len(model.writer)
    hands = np.repeat(rng.normal(size=(writers, dims)) * np.sqrt(model.writer), 4, axis=0)[:pages]
    noise = rng.normal(size=(pages, dims)) * np.sqrt(model.session + 1 / words)
    means = (hands + noise) @ np.linalg.pinv(model.projection) + model.mean
    names = np.repeat([f"sampled-{number}" for number in range(writers)], 4)[:pages]
    return Pages(means, np.full(pages, words), names)


def _search(asked: Pages, store: Pages, comparer: Comparer) -> dict[str, Any]:
    same, model = comparer.same_writer, comparer.same_writer.plda
    start = time.perf_counter()
    index = InvertedFile.build(rows_near(model, store.prototypes()))
    built = time.perf_counter() - start
    ranked: dict[str, list[Numbers]] = {"first_stage": [], "reranked": [], "brute_force": []}
    seconds: dict[str, list[float]] = {name: [] for name in ranked}
    everything = same.sums(store.prototypes())
    for row in range(len(asked.writer)):
        query = asked.prototypes(slice(row, row + 1))

        def search(query: Prototypes = query) -> Numbers:
            return index.search(query_near(model, query)[0], CANDIDATES)[0]

        near, seconds_near = _timed(search)

        def rerank(query: Prototypes = query, near: Numbers = near) -> Numbers:
            weight = same.ratios(same.sums(query), same.sums(store.prototypes(near))).weight
            return near[np.argsort(-weight, kind="stable")]

        again, seconds_again = _timed(rerank)

        def exact(query: Prototypes = query) -> Numbers:
            weight = same.ratios(same.sums(query), everything).weight
            return np.argsort(-weight, kind="stable")[:CANDIDATES]

        brute, seconds_brute = _timed(exact)
        for name, found, spent in (
            ("first_stage", near, seconds_near),
            ("reranked", again, seconds_near + seconds_again),
            ("brute_force", brute, seconds_brute),
        ):
            ranked[name].append(found)
            seconds[name].append(spent)
    return {
        "pages": len(store.writer),
        "build_seconds": round(built, 1),
        **{name: _figures(asked, store, found, seconds[name]) for name, found in ranked.items()},
    }


def _figures(asked: Pages, store: Pages, ranked: list[Numbers], seconds: list[float]) -> dict[str, Any]:
    recall, precision = [], []
    for writer, found in zip(asked.writer, ranked, strict=True):
        relevant = int((store.writer == writer).sum())
        hits = store.writer[found] == writer
        recall.append(hits[:10].sum() / min(10, relevant))
        places = np.flatnonzero(hits) + 1
        precision.append((np.arange(1, len(places) + 1) / places).sum() / relevant)
    return {
        "recall_at_10": round(float(np.mean(recall)), 4),
        "recall_at_10_interval": _interval(recall),
        "mean_average_precision": round(float(np.mean(precision)), 4),
        "mean_average_precision_interval": _interval(precision),
        "first_is_right": round(
            float(np.mean([store.writer[f[0]] == w for f, w in zip(ranked, asked.writer, strict=True)])), 4
        ),
        "milliseconds": round(1000 * statistics.median(seconds), 2),
    }


def _interval(values: list[float]) -> list[float]:
    """95 % bootstrap interval over writers, one query each."""
    rng = np.random.default_rng(0)
    drawn = rng.choice(values, (1000, len(values))).mean(axis=1)
    return [round(float(end), 4) for end in np.percentile(drawn, (2.5, 97.5))]


def _stress(model: Plda, words: int) -> dict[str, Any]:
    """Nearest words among many that were sampled from the model, beside faiss on the same rows."""
    rng = np.random.default_rng(1)
    dims = len(model.writer)
    pages = -(-words // 50)
    writers = np.repeat(rng.normal(size=(-(-pages // 4), dims)) * np.sqrt(model.writer), 4, axis=0)[:pages]
    centres = writers + rng.normal(size=(pages, dims)) * np.sqrt(model.session)
    rows = (np.repeat(centres, 50, axis=0)[:words] + rng.normal(size=(words, dims))).astype(np.float32)
    asked = rows[rng.choice(words, 50, replace=False)] + 0.5 * rng.normal(size=(50, dims)).astype(np.float32)
    squares = np.einsum("rd,rd->r", rows, rows)

    def brute(query: NDArray[np.float32]) -> Numbers:
        far = squares - 2 * (rows @ query)
        best = np.argpartition(far, 10)[:10]
        return best[np.argsort(far[best])]

    truth, spent = zip(*(_timed(partial(brute, query)) for query in asked), strict=True)
    figures: dict[str, Any] = {"words": words, "brute_force_ms": round(1000 * statistics.median(spent), 2)}
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        InvertedFile.build(rows).save(Path(folder))
        figures["build_seconds"] = round(time.perf_counter() - start, 1)
        index = InvertedFile.load(Path(folder))
        for probed in (PROBED / 4, PROBED / 2, PROBED, 2 * PROBED):
            search = lambda query, probed=probed: index.search(query, 10, probed)[0]  # noqa: E731
            figures[f"inverted_file_{probed:g}"] = _beside(search, asked, truth)
    figures |= _faiss(rows, asked, truth)
    return figures


def _faiss(rows: NDArray[np.float32], asked: NDArray[np.float32], truth: Any) -> dict[str, Any]:
    try:
        import faiss
    except ImportError:
        return {}
    faiss.omp_set_num_threads(1)
    figures: dict[str, Any] = {}
    for name, factory, probe in (("faiss_ivf", "IVF4096,Flat", 64), ("faiss_hnsw", "HNSW32", None)):
        if name == "faiss_hnsw" and len(rows) > 500_000:  # an hour of one core
            continue
        start = time.perf_counter()
        index: Any = faiss.index_factory(rows.shape[1], factory)
        index.train(rows[:200_000])
        index.add(rows)
        built = time.perf_counter() - start
        if probe:
            index.nprobe = probe

        def search(query: Any, index: Any = index) -> Numbers:
            return np.asarray(index.search(query[None], 10)[1][0])

        figures[name] = {**_beside(search, asked, truth), "build_seconds": round(built, 1)}
    return figures


def _beside(search: Callable[[Any], Numbers], asked: NDArray[np.float32], truth: Any) -> dict[str, float]:
    found, spent = zip(*(_timed(partial(search, query)) for query in asked), strict=True)
    recall = [
        len(set(one.tolist()) & set(true.tolist())) / 10 for one, true in zip(found, truth, strict=True)
    ]
    return {"recall_at_10": round(float(np.mean(recall)), 4), "ms": round(1000 * statistics.median(spent), 2)}


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


if __name__ == "__main__":
    main()
