"""Find this hand, end to end: scans, drawn pages, and page vectors that are sampled (marked as such).

Every scan of a page of CSAFE, IAM and copiste and drawn pages up to --pages are indexed as `handshift index`
does it. Queries are one scan of each test writer who has several; the writer's others are what is looked for.
Query and search are those of `handshift find`. Then the store is extended to --extended pages by vectors
sampled from a model of writers, sessions and pages that is fitted on the pages of train writers. Brute force
is the comparison with every hand of the store; cosine is that of whole pages, without a model of writers.
Clusters are those of `handshift clusters`, judged by pairs of pages of test writers.
Indexing takes most of an hour of one core and goes on where it was: --only-index 1000 indexes so many more
pages and ends. With --vectors the scans that are not in the store yet are indexed by their words' vectors.
Example: python benchmarks/find.py
"""

from __future__ import annotations

import shutil
import statistics
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path
from typing import Any

import journalled_pieces
import numpy as np
from find_archive import (
    DATABASES,
    RealPages,
    copied,
    drawn_pages,
    extended_store,
    fitted_on_train_writers,
    index_from_vectors,
)
from numpy.typing import NDArray
from process_tree import OtherProcesses, processor_seconds
from result_file import Benchmark

from handshift.core.arrays import Floats
from handshift.engine.local_processes import LocalProcesses
from handshift.models.shipped_models import find_model
from handshift.store.archive_clusters import default_least, shared_hands
from handshift.store.archive_store import ArchiveStore
from handshift.store.find_hand import CANDIDATES, HandSearch, Query
from handshift.store.index_archive import index_archive

STAGES = ("first_stage", "reranked", "brute_force", "cosine")
SHOWN = 20
"""Pages of the list that `find` shows; its time is measured with their thumbnails."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument(
        "--vectors", type=Path, help="of `corpus embed`: index by them what is not in the store"
    )
    options.add_argument("--model", help="id or folder; the default model if none")
    options.add_argument("--pages", type=int, default=5_000, help="real and drawn pages in the store")
    options.add_argument("--extended", type=int, default=100_000, help="pages with those that are sampled")
    options.add_argument("--workers", type=int, default=2, help="processes that index pages")
    options.add_argument("--state", type=Path, default=Path("runs/find"))
    options.add_argument("--only-index", type=int, metavar="PAGES", help="index so many more, ask nothing")
    given = benchmark.begin()
    shipped, store = find_model(given.model), given.state / "store"
    real = RealPages.read(given.data, given.splits)
    if given.vectors:
        added = index_from_vectors(real, given.vectors, store, given.model)
        print(f"{added:,} scans by the vectors of their words", flush=True)
    most = given.pages if given.only_index is None else min(given.pages, _files(store) + given.only_index)
    drawn = drawn_pages(given.state / "drawn", max(0, most - len(real.records)))
    indexed = index_timed([*real.scans, *drawn][:most], store, given.model, given.workers)
    if given.only_index is not None:
        print(f"{_files(store):,} of {given.pages:,} pages; {indexed}", flush=True)
        return
    others = OtherProcesses()
    kept = {entry.file for _, entry in ArchiveStore.open(store).entries() if entry.vector is not None}
    asked = Asked.chosen(real, kept, HandSearch(store, given.model))
    model, sampled = fitted_on_train_writers(store, real), given.extended - len(kept)
    extended = extended_store(store, given.state / "extended", model, sampled)
    figures: dict[str, Any] = {
        "model": {"id": shipped.card.id, "fingerprint": shipped.fingerprint()},
        "queries": {name: sum(asked.of(name)) for name in DATABASES},
        "candidates": CANDIDATES,
        "real_pages": len(kept & real.records.keys()),
        "drawn_pages": len(kept - real.records.keys()),
        "by_vectors": sum(
            not entry.thumbnail for _, entry in ArchiveStore.open(store).entries() if entry.vector is not None
        ),
        "without_vector": len(real.records) + len(drawn) - len(kept),
        "sampled_pages": sampled,
        "indexing": indexed,
        "milliseconds_to_read_the_query": round(statistics.median(asked.reading), 1),
        "store": weighed(store, given.state / "weighed", given.model, real),
        "end_to_end": searched(store, given.model, asked),
        "with_sampled": searched(extended, given.model, asked),
        "clusters": clustered(store, given.model, real),
    }
    benchmark.write({"quiet": others.quiet(), **figures})


def index_timed(paths: list[Path], store: Path, model: str | None, workers: int) -> dict[str, Any]:
    """Index what is not in the store yet; processor seconds a page over all calls, drawn pages included."""
    notes, start = store.with_name("indexed.jsonl"), processor_seconds()
    done = index_archive(paths, store, model, engine=LocalProcesses(workers))
    if done.pages:
        spent = processor_seconds() - start
        journalled_pieces.add(notes, {"pages": done.pages, "processor_seconds": spent})
    pieces = journalled_pieces.rows(notes)
    pages, seconds = (sum(piece[name] for piece in pieces) for name in ("pages", "processor_seconds"))
    return {"pages_timed": pages, "processor_seconds_a_page": round(seconds / max(1, pages), 4)}


def _files(store: Path) -> int:
    return len(ArchiveStore.open(store).files()) if store.exists() else 0


def clustered(store: Path, model: str | None, real: RealPages) -> dict[str, Any]:
    """Groups of pages that share a hand; precision and recall of pairs of pages of test writers."""
    search = HandSearch(store, model)
    least = default_least(search)
    groups, milliseconds = _timed(lambda: shared_hands(search, least))
    tested = real.parts["test"]
    named = [[real.writer(entry.file) for entry, _ in group.members] for group in groups]
    own = [[writer for writer in group if writer in tested] for group in named]
    joined = sum(comb(len(group), 2) for group in own)
    right = sum(comb(count, 2) for group in own for count in Counter(group).values())
    pages = Counter(record.writer for record in real.records.values() if record.writer in tested)
    return {
        "seconds": round(milliseconds / 1000, 1),
        "least_log10_lr": round(least, 2),
        "groups": len(groups),
        "pairs_of_test_writers": sum(comb(count, 2) for count in pages.values()),
        "precision_of_pairs": round(right / max(1, joined), 4),
        "recall_of_pairs": round(right / max(1, sum(comb(count, 2) for count in pages.values())), 4),
    }


@dataclass(frozen=True)
class Asked:
    """The queries: one page of each test writer who has several in the store."""

    writers: list[str]
    files: list[str]
    queries: list[Query]
    reading: list[float]
    """Milliseconds from file to query."""
    real: RealPages

    @classmethod
    def chosen(cls, real: RealPages, kept: set[str], search: HandSearch) -> Asked:
        rng = np.random.default_rng(0)
        chosen: dict[str, str] = {}
        for writer in sorted(real.parts["test"]):
            own = sorted(file for file in kept if real.writer(file) == writer)
            if len(own) > 1:
                chosen[writer] = str(rng.choice(own))
        queries, reading = [], []
        for file in chosen.values():
            start = time.perf_counter()
            queries.append(search.query(file))
            reading.append(1000 * (time.perf_counter() - start))
        return cls(list(chosen), list(chosen.values()), queries, reading, real)

    def of(self, database: str) -> list[bool]:
        return [writer.partition("/")[0] == database for writer in self.writers]


def searched(folder: Path, model: str | None, asked: Asked) -> dict[str, Any]:
    """Recall, precision and time of both stages, of brute force and of cosine, by database too."""
    start = time.perf_counter()
    search = HandSearch(folder, model)
    opened = time.perf_counter() - start
    store = Searched(search, asked)
    rows = [store.ask(number) for number in range(len(asked.queries))]
    return {
        "pages": len(search.index.segment),
        "hands": len(search.index.counts),
        "seconds_to_build_and_open": round(opened, 1),
        **_figures(rows),
        "by_database": {
            name: _figures([row for row, own in zip(rows, asked.of(name), strict=True) if own])
            for name in DATABASES
        },
    }


class Searched:
    """A store with what brute force needs: the files, statistics and vectors of all its hands."""

    def __init__(self, search: HandSearch, asked: Asked) -> None:
        self._search, self._asked = search, asked
        index = search.index
        files = {place: entry.file for place, entry in search.store.entries(("file", "sha256", "page"))}
        self._files = [files[index.place(page)] for page in range(len(index.segment))]
        self._writers = [asked.real.writer(file) for file in self._files]
        everyone = index.prototypes(np.arange(len(index.counts)))
        self._every = search.comparer.same_writer.sums(everyone)
        self._unit = _unit(everyone.means[:, :-1])  # without the size of the writing

    def ask(self, number: int) -> dict[str, Any]:
        """Recall and average precision of one query in each stage, and milliseconds."""
        search, query, writer = self._search, self._asked.queries[number], self._asked.writers[number]
        near, first = _timed(lambda: search.nearest(query.prototype, CANDIDATES))
        found = search.find(query, count=CANDIDATES)
        listed, second = _timed(lambda: search.find(query, count=SHOWN))
        assert [page.entry.file for page in listed.pages] == [page.entry.file for page in found.pages[:SHOWN]]
        ratios, brute = _timed(lambda: search.comparer.same_writer.ratios(query.side, self._every).weight)
        alike, plain = _timed(lambda: self._unit @ _unit(query.prototype.means[:, :-1])[0])
        hidden = self._files.index(self._asked.files[number])
        relevant = self._writers.count(writer) - 1
        ranked = {
            "first_stage": self._ranked(near, hidden),
            "reranked": [self._asked.real.writer(page.entry.file) for page in found.pages],
            "brute_force": self._ranked(np.argsort(-ratios, kind="stable"), hidden),
            "cosine": self._ranked(np.argsort(-alike, kind="stable"), hidden),
        }
        took = dict(zip(STAGES, (first, second, brute, plain), strict=True))
        return {
            name: {**_ranking(names, writer, relevant), "ms": took[name]} for name, names in ranked.items()
        }

    def _ranked(self, hands: NDArray[np.integer], hidden: int) -> list[str]:
        """Writers of the pages of hands in their order, each page once, the query's left out."""
        pages: Iterable[int] = dict.fromkeys(self._search.index.page[hands].tolist())
        return [self._writers[page] for page in pages if page != hidden]


def weighed(store: Path, folder: Path, model: str | None, real: RealPages) -> dict[str, Any]:
    """Kilobytes a page of a store of the scans that were indexed as files, with thumbnails and index."""
    shutil.rmtree(folder, ignore_errors=True)
    stored = (entry for _, entry in ArchiveStore.open(store).entries())
    entries = [entry for entry in stored if entry.thumbnail and entry.file in real.records]
    copied(store, folder, entries)
    HandSearch(folder, model)  # builds the index
    parts = {"kilobytes_a_page": folder, "index_kilobytes_a_page": folder / "index"}
    size = {
        name: sum(path.stat().st_size for path in part.rglob("*") if path.is_file())
        for name, part in parts.items()
    }
    return {
        "pages": len(entries),
        **{name: round(size[name] / len(entries) / 1000, 2) for name in parts},
    }


def _unit(rows: Floats) -> Floats:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def _timed(work: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    done = work()
    return done, 1000 * (time.perf_counter() - start)


def _ranking(names: Sequence[str], writer: str, relevant: int) -> dict[str, float]:
    hits = np.array([name == writer for name in names])
    places = np.flatnonzero(hits) + 1
    return {
        "recall_at_10": float(hits[:10].sum() / min(10, relevant)),
        "average_precision": float((np.arange(1, len(places) + 1) / places).sum() / relevant),
        "first_is_right": float(hits[:1].sum()),
    }


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {stage: _means([row[stage] for row in rows]) for stage in STAGES} if rows else {}


def _means(rows: list[dict[str, float]]) -> dict[str, Any]:
    names = {"recall_at_10": "recall_at_10", "mean_average_precision": "average_precision"}
    values = {name: [row[of] for row in rows] for name, of in names.items()}
    return {
        **{name: round(float(np.mean(each)), 4) for name, each in values.items()},
        **{f"{name}_interval": _interval(each) for name, each in values.items()},
        "first_is_right": round(float(np.mean([row["first_is_right"] for row in rows])), 4),
        "milliseconds": round(statistics.median(row["ms"] for row in rows), 2),
        "slowest_milliseconds": round(max(row["ms"] for row in rows), 2),
    }


def _interval(values: list[float]) -> list[float]:
    """95 % bootstrap interval over writers, one query each."""
    drawn = np.random.default_rng(0).choice(values, (1000, len(values))).mean(axis=1)
    return [round(float(end), 4) for end in np.percentile(drawn, (2.5, 97.5))]


if __name__ == "__main__":
    main()
