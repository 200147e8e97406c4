"""The nearest of two million word vectors: our inverted file beside faiss and Lance, and rows by number.

Words are sampled from the model's PLDA: writers, sessions and words. Each index answers the same queries, and
recall is against brute force in the same run. A command asks one query and ends, so each index also answers
one in a fresh process, at the setting whose recall is .95 or more. Then the store itself: rows with
thumbnails are read by number from Parquet, as the store keeps them, and from Lance. Finished pieces are kept
in --state; the same call goes on. faiss (`pip install faiss-cpu`) and Lance (`pip install pylance`) are left
out where missing.
Example: python benchmarks/nearest_words.py --words 2000000
"""

from __future__ import annotations

import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import journalled_pieces
import numpy as np
from numpy.typing import NDArray
from process_tree import OtherProcesses
from result_file import Benchmark

from handshift.detect.plda import Plda
from handshift.pipeline.comparer import Comparer
from handshift.store.archive_store import COMPACTED_PAGES, ArchiveStore
from handshift.store.inverted_file import EXHAUSTIVE, PROBED, UNLISTED, InvertedFile
from handshift.store.page_entry import PageEntry

Rows = NDArray[np.float32]
Search = Callable[[Rows], NDArray[np.int64]]
QUERIES = 50
PAGE_WORDS, WRITER_PAGES = 50, 4
STORED_PAGES = 16_384
SHOWN = 20
"""Pages that a result lists."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--model", default=None, help="whose PLDA words are sampled from")
    benchmark.options.add_argument("--words", type=int, default=2_000_000)
    benchmark.options.add_argument("--state", type=Path, default=Path("runs/nearest-words"))
    given, others = benchmark.begin(), OtherProcesses()
    given.state.mkdir(parents=True, exist_ok=True)
    state = given.state / "pieces.jsonl"
    model = Comparer(given.model, threads=1).same_writer.plda
    rows, asked = sampled_words(model, given.words, np.random.default_rng(1))
    squares = np.einsum("rd,rd->r", rows, rows)
    truth, spent = zip(*(_timed(partial(_brute, rows, squares, query)) for query in asked), strict=True)
    figures = {
        "words": given.words,
        "dimensions": rows.shape[1],
        "brute_force_ms": round(1000 * statistics.median(spent), 2),
    }
    about = {"commit": benchmark.origin.commit, "words": given.words, "model": given.model}
    done = {row["kind"]: row for row in journalled_pieces.rows(state) if about.items() <= row.items()}
    pieces = {"inverted_file": inverted_file, "faiss": faiss_indexes, "lance": lance_index}
    with tempfile.TemporaryDirectory(dir=given.state) as folder:
        for kind, piece in pieces.items():
            if kind not in done:
                found = piece(rows, asked, truth, Path(folder))
                done[kind] = {"kind": kind, **about, "found": found}
                journalled_pieces.add(state, done[kind])
        if "rows" not in done:
            done["rows"] = {"kind": "rows", **about, "found": rows_by_number(rows, Path(folder))}
            journalled_pieces.add(state, done["rows"])
    figures["quiet"] = others.quiet()
    benchmark.write({**figures, **{kind: row["found"] for kind, row in done.items() if row["found"]}})


def sampled_words(model: Plda, words: int, rng: np.random.Generator) -> tuple[Rows, Rows]:
    """(words, dimensions) of writers with four pages of fifty words, and queries near some of them."""
    dims, pages = len(model.writer), -(-words // PAGE_WORDS)
    hands = rng.normal(size=(-(-pages // WRITER_PAGES), dims)) * np.sqrt(model.writer)
    centres = np.repeat(hands, WRITER_PAGES, axis=0)[:pages]
    centres = centres + rng.normal(size=(pages, dims)) * np.sqrt(model.session)
    rows = np.repeat(centres.astype(np.float32), PAGE_WORDS, axis=0)[:words]
    rows += rng.standard_normal(rows.shape, np.float32)
    chosen = rng.choice(words, QUERIES, replace=False)
    return rows, rows[chosen] + 0.5 * rng.standard_normal((QUERIES, dims), np.float32)


def inverted_file(rows: Rows, asked: Rows, truth: Any, folder: Path) -> dict[str, Any]:
    """Ours, saved and mapped, at several shares of lists."""
    start = time.perf_counter()
    InvertedFile.build(rows).save(folder)
    figures: dict[str, Any] = {"build_seconds": round(time.perf_counter() - start, 1)}
    index = InvertedFile.load(folder)
    for probed in (PROBED / 4, PROBED / 2, PROBED, 1.5 * PROBED):
        figures[f"probed_{probed:g}"] = _beside(partial(_probed, index, probed), asked, truth)
    figures["fewer"] = [
        _of_fewer(rows[:count], asked) for count in (2 * UNLISTED, 2 * EXHAUSTIVE, 4 * EXHAUSTIVE)
    ]
    return {**figures, **_cold("ours", folder, folder, asked, figures)}


def _of_fewer(rows: Rows, asked: Rows) -> dict[str, Any]:
    """At the share of lists that is looked into by default."""
    squares = np.einsum("rd,rd->r", rows, rows)
    truth = [_brute(rows, squares, query) for query in asked]
    return {"words": len(rows), **_beside(partial(_probed, InvertedFile.build(rows), None), asked, truth)}


def _probed(index: InvertedFile, probed: float | None, query: Rows) -> NDArray[np.int64]:
    return index.search(query, 10, probed)[0]


def faiss_indexes(rows: Rows, asked: Rows, truth: Any, folder: Path) -> dict[str, Any]:
    """IVF with full vectors, and HNSW over 100,000 words; both are held in memory."""
    try:
        import faiss
    except ImportError:
        return {}
    faiss.omp_set_num_threads(1)
    figures: dict[str, Any] = {}

    def made(factory: str, content: Rows) -> tuple[Any, float]:
        start = time.perf_counter()
        index: Any = faiss.index_factory(content.shape[1], factory)
        index.train(content[:: max(1, len(content) // 200_000)])
        index.add(content)
        return index, round(time.perf_counter() - start, 1)

    index, seconds = made("IVF4096,Flat", rows)
    figures["ivf4096"] = {"build_seconds": seconds}
    for probes in (128, 256, 512, 1024):
        index.nprobe = probes
        figures["ivf4096"][f"probed_{probes}"] = _beside(partial(_faiss_search, index), asked, truth)
    faiss.write_index(index, str(folder / "ivf.faiss"))
    figures["ivf4096"] |= _cold("faiss", folder / "ivf.faiss", folder, asked, figures["ivf4096"])
    figures["ivf4096"] |= _installed("faiss")
    part = rows[:100_000]
    squares = np.einsum("rd,rd->r", part, part)
    nearest = [_brute(part, squares, query) for query in asked]
    index, seconds = made("HNSW32", part)
    index.hnsw.efSearch = 128
    near = _beside(partial(_faiss_search, index), asked, nearest)
    figures["hnsw32"] = {"words": len(part), "build_seconds": seconds, **near}
    return figures


def _faiss_search(index: Any, query: Rows) -> NDArray[np.int64]:
    return np.asarray(index.search(query[None], 10)[1][0])


def lance_index(rows: Rows, asked: Rows, truth: Any, folder: Path) -> dict[str, Any]:
    """Lance's IVF with full vectors in a table on disk."""
    try:
        import lance
        import pyarrow as pa
    except ImportError:
        return {}
    start = time.perf_counter()
    tables = (_vector_table(pa, rows[at : at + 65_536], at) for at in range(0, len(rows), 65_536))
    schema = _vector_table(pa, rows[:1], 0).schema
    batches = (batch for table in tables for batch in table.to_batches())
    table = lance.write_dataset(pa.RecordBatchReader.from_batches(schema, batches), folder / "words.lance")
    table.create_index("vector", index_type="IVF_FLAT", num_partitions=4096, metric="l2")
    figures: dict[str, Any] = {
        "build_seconds": round(time.perf_counter() - start, 1),
        "megabytes": _megabytes(folder / "words.lance"),
    }
    table = lance.dataset(folder / "words.lance")
    for probes in (128, 256, 512, 1024):

        def search(query: Rows, probes: int = probes) -> NDArray[np.int64]:
            nearest = {"column": "vector", "q": query, "k": 10, "nprobes": probes}
            return np.asarray(table.to_table(columns=["number"], nearest=nearest)["number"])

        figures[f"probed_{probes}"] = _beside(search, asked, truth)
    return {
        **figures,
        **_cold("lance", folder / "words.lance", folder, asked, figures),
        **_installed("lance"),
    }


def _vector_table(pa: Any, rows: Rows, first: int) -> Any:
    vector = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), rows.shape[1])
    return pa.table({"number": pa.array(np.arange(first, first + len(rows))), "vector": vector})


def rows_by_number(rows: Rows, folder: Path) -> dict[str, Any]:
    """Twenty pages with thumbnails of 8 KB from anywhere in a compacted store, and the same from Lance."""
    rng = np.random.default_rng(2)
    store = ArchiveStore.create(folder / "store", "none", "none", rows.shape[1])

    def entries() -> Iterator[PageEntry]:
        for number in range(STORED_PAGES):
            yield PageEntry(f"{number}.png", f"{number:064d}", 1, 50, rows[number], thumbnail=rng.bytes(8000))

    for number, entry in enumerate(entries(), 1):
        store.add(entry)
        if number % COMPACTED_PAGES == 0:
            store.flush()
    wanted = [rng.choice(STORED_PAGES, SHOWN, replace=False) for _ in range(QUERIES)]

    def from_parquet(numbers: NDArray[np.int64]) -> object:
        segments = store.segments
        return store.at([(segments[one // COMPACTED_PAGES], int(one % COMPACTED_PAGES)) for one in numbers])

    figures: dict[str, Any] = {
        "pages": STORED_PAGES,
        "shown": SHOWN,
        "parquet": {
            "ms": _median_ms(from_parquet, wanted),
            "kilobytes_a_page": round(1000 * _megabytes(folder / "store") / STORED_PAGES, 2),
        },
    }
    try:
        import lance
        import pyarrow.parquet as pq
    except ImportError:
        return figures
    lance.write_dataset(pq.read_table(sorted((folder / "store").glob("segment-*"))), folder / "pages.lance")
    table = lance.dataset(folder / "pages.lance")
    figures["lance"] = {
        "ms": _median_ms(lambda numbers: table.take(numbers.tolist()).to_pylist(), wanted),
        "kilobytes_a_page": round(1000 * _megabytes(folder / "pages.lance") / STORED_PAGES, 2),
    }
    return figures


def _brute(rows: Rows, squares: Rows, query: Rows) -> NDArray[np.int64]:
    far = squares - 2 * (rows @ query)
    best = np.argpartition(far, 10)[:10]
    return np.asarray(best[np.argsort(far[best])])


def _beside(search: Search, asked: Rows, truth: Any) -> dict[str, float]:
    search(asked[0])  # maps and caches
    found, spent = zip(*(_timed(partial(search, query)) for query in asked), strict=True)
    pairs = zip(found, truth, strict=True)
    recall = [len(set(one.tolist()) & set(true.tolist())) / 10 for one, true in pairs]
    return {"recall_at_10": round(float(np.mean(recall)), 4), "ms": round(1000 * statistics.median(spent), 2)}


def _cold(kind: str, index: Path, folder: Path, asked: Rows, figures: dict[str, Any]) -> dict[str, Any]:
    """Five fresh processes, each with one query; the median of each figure."""
    good = (
        name for name, one in figures.items() if name.startswith("probed_") and one["recall_at_10"] >= 0.95
    )
    name = next(good, None)
    if name is None:
        return {}
    runs = []
    for number in range(5):
        np.save(folder / "query.npy", asked[number])
        script = Path(__file__).with_name("cold_search.py")
        query = [str(index), str(folder / "query.npy"), name.removeprefix("probed_")]
        done = subprocess.run(
            [sys.executable, str(script), kind, *query], check=True, capture_output=True, text=True
        )
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return {
        "fresh_process": {"at": name, **{key: statistics.median(run[key] for run in runs) for key in runs[0]}}
    }


def _installed(package: str) -> dict[str, float]:
    """Megabytes of a package and its own libraries."""
    found = importlib.util.find_spec(package)
    folder = Path(found.origin).parent if found and found.origin else None
    if folder is None:
        return {}
    libraries = folder.parent.glob(f"{package}*.libs")
    return {"installed_megabytes": round(sum(map(_megabytes, (folder, *libraries))), 1)}


def _median_ms(read: Callable[[Any], object], wanted: list[Any]) -> float:
    read(wanted[0])
    return round(1000 * statistics.median(_timed(partial(read, one))[1] for one in wanted), 2)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def _megabytes(folder: Path) -> float:
    return round(sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6, 1)


if __name__ == "__main__":
    main()
