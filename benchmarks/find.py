"""Find this hand, end to end: real pages, drawn pages, and page vectors that are sampled (marked as such).

Queries are one page of each test writer of the databases in --queries, taken from --vectors (a folder of
`handshift corpus embed`); all other pages of all writers there are in the store, and drawn pages fill it up
to --pages. Store, index and search are those of `handshift index` and `find`. Then the store is extended to
--extended pages by vectors sampled from the model of writers, sessions and words. Brute force is the
comparison with every hand of the store. --scans are indexed into a store of their own, whose size counts.
Store and finished queries are kept in --state; the same call goes on where it was.
Example: python benchmarks/find.py --model models/words-4 --vectors runs/words-4/vectors
    --scans ../shared/data/csafe/w0015
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import journalled_pieces
import numpy as np
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.attribution.same_writer import SameWriter, Sums
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.corpus.split import WriterSplit
from handshift.detect.plda import Plda
from handshift.embedding.prototypes import prototypes
from handshift.embedding.word_vectors import WordVectors, vectors_by_network
from handshift.engine.local_processes import LocalProcesses
from handshift.models.shipped_models import ShippedModel, find_model
from handshift.page.find_scans import find_scans
from handshift.store.archive_store import COMPACTED_PAGES, ArchiveStore
from handshift.store.find_hand import CANDIDATES, HandSearch, Query
from handshift.store.index_archive import index_archive, index_vectors
from handshift.store.page_entry import HandEntry, PageEntry

DATABASES = ("csafe", "iam", "copiste")
FEWEST_WORDS = 8
SAMPLED, SAMPLED_WORDS, SAMPLED_PAGES = "sampled-", 60, 4
"""Name, words a page and pages a writer of sampled pages."""
DRAWN_PAGES = 4
"""Of each scribe."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__, inputs=("model", "vectors", "split", "scans"))
    options = benchmark.options
    options.add_argument("--model", help="id or folder; the default model if none")
    options.add_argument("--vectors", type=Path, required=True, help="folder of `handshift corpus embed`")
    options.add_argument("--split", type=Path, help="split of its writers; split.json in --vectors if none")
    options.add_argument(
        "--queries", nargs="+", default=list(DATABASES), help="databases whose test writers ask"
    )
    options.add_argument("--pages", type=int, default=5_000, help="real and drawn pages in the store")
    options.add_argument("--extended", type=int, default=100_000, help="pages with those that are sampled")
    options.add_argument("--scans", nargs="*", default=[], help="scans whose store is weighed")
    options.add_argument("--workers", type=int, default=2, help="processes that index drawn pages and scans")
    options.add_argument("--state", type=Path, default=Path("runs/find"))
    given = benchmark.begin()
    archive = Archive(given.state, given.model, given.workers, benchmark.origin.commit)
    table = vectors_by_network(archive.shipped.folder / "words.onnx", given.vectors)
    queries = Queries.of(table, given.split or given.vectors / "split.json", given.queries)
    real = archive.index_real(given.vectors)
    drawn = archive.index_drawn(max(0, given.pages - real))
    figures: dict[str, Any] = {
        "inputs": {
            "model": archive.shipped.card.id,
            "model_fingerprint": archive.shipped.fingerprint(),
            "words": len(table.page),
            "vectors_fingerprint": table.fingerprint,
        },
        "queries": queries.counts(),
        "candidates": CANDIDATES,
        "real_pages": real,
        "drawn_pages": drawn,
        "end_to_end": archive.search(archive.store, queries, "end-to-end"),
    }
    if given.extended > real + drawn:
        extended = archive.extend(given.extended - real - drawn)
        figures["sampled_pages"] = given.extended - real - drawn
        figures["with_sampled"] = archive.search(extended, queries, "with-sampled")
    if given.scans:
        figures["store"] = archive.weigh(given.scans)
    benchmark.write(figures)


@dataclass(frozen=True)
class Queries:
    """One page of each test writer that has several; the others are in the store."""

    table: WordVectors
    pages: dict[str, str]
    """Writer → page."""
    writers: dict[str, str]
    """Page → writer, of all pages."""
    databases: tuple[str, ...]

    @classmethod
    def of(cls, table: WordVectors, split: Path, databases: list[str]) -> Queries:
        rng = np.random.default_rng(0)
        names, first, counts = np.unique(table.page, return_index=True, return_counts=True)
        writers = {str(page): str(table.writer[row]) for page, row in zip(names, first, strict=True)}
        large = {str(page) for page, count in zip(names, counts, strict=True) if count >= FEWEST_WORDS}
        pages: dict[str, str] = {}
        for writer in sorted(WriterSplit.load(split).parts["test"]):
            own = sorted(page for page in large if writers[page] == writer)
            if len(own) > 1 and (len(databases) == 1 or writer.partition("/")[0] in databases):
                pages[writer] = str(rng.choice(own))
        return cls(table, pages, writers, tuple(databases))

    def counts(self) -> dict[str, int]:
        return {name: sum(self.database(writer) == name for writer in self.pages) for name in self.databases}

    def database(self, writer: str) -> str:
        return self.databases[0] if len(self.databases) == 1 else writer.partition("/")[0]

    def query(self, search: HandSearch, writer: str) -> Query:
        """The page as `find` reads one: all its words; the page itself is not listed."""
        page = self.pages[writer]
        vectors = np.asarray(self.table.vectors[self.table.page == page])
        side = search.comparer.same_writer.side([vectors])
        own = frozenset({f"{self.table.fingerprint}/{page}"})
        return Query(page, len(vectors), prototypes([vectors]), side, sha256=own)


@dataclass
class Archive:
    """The store of this benchmark, and one that is extended."""

    state: Path
    model: str | None
    workers: int
    commit: str | None
    """Of this code: queries that another one asked are asked again."""

    def __post_init__(self) -> None:
        self.shipped: ShippedModel = find_model(self.model)
        self.state.mkdir(parents=True, exist_ok=True)
        self.store = self.state / "store"

    def index_real(self, vectors: Path) -> int:
        index_vectors(vectors, self.store, self.model)
        return sum(not name.startswith(str(self.state)) for name in self._indexed(self.store))

    def index_drawn(self, count: int) -> int:
        """Small pages, four by each scribe; hands that no query looks for."""
        scans = list(islice(self._drawn(), count))
        index_archive(scans, self.store, self.model, engine=LocalProcesses(self.workers))
        return sum(name.startswith(str(self.state)) for name in self._indexed(self.store))

    def _drawn(self) -> Iterator[Path]:
        folder, text = self.state / "drawn", ENGLISH.split()
        folder.mkdir(exist_ok=True)
        layout, number = Layout(width_mm=150.0, height_mm=130.0), 0
        while True:
            path = folder / f"{number:05d}.png"
            if not path.exists():
                words = " ".join(text[(7 * number + place) % len(text)] for place in range(24))
                page = draw_page(
                    [Passage(Scribe(1000 + number // DRAWN_PAGES), words)], seed=number, layout=layout
                )
                save_page(page, path)
            yield path
            number += 1

    def _indexed(self, store: Path) -> list[str]:
        entries = ArchiveStore.open(store).entries(("file", "sha256", "page", "words", "vector"))
        return [entry.file for _, entry in entries if entry.vector is not None]

    def extend(self, count: int) -> Path:
        """A store with the same pages and `count` sampled ones, made anew unless it is complete."""
        folder, mark = self.state / "extended", self.state / "extended.json"
        version = json.dumps([ArchiveStore.open(self.store).version, count])
        if mark.exists() and mark.read_text() == version:
            return folder
        for old in folder.glob("segment-*"):
            old.unlink()
        before = ArchiveStore.open(self.store)
        after = ArchiveStore.create(folder, before.model, before.fingerprint, before.dimensions)
        model = SameWriter.of(self.shipped.covariances(), self.shipped.comparison()).plda
        entries = [*(entry for _, entry in before.entries()), *sampled_pages(model, count)]
        for start in range(0, len(entries), COMPACTED_PAGES):
            for entry in entries[start : start + COMPACTED_PAGES]:
                after.add(entry)
            after.flush()
        mark.write_text(version)
        return folder

    def search(self, store: Path, queries: Queries, name: str) -> dict[str, Any]:
        """Figures of both stages and of brute force, over all queries and by database."""
        start = time.perf_counter()
        search = HandSearch(store, self.model)
        opened = time.perf_counter() - start
        state = self.state / f"{name}.jsonl"
        about = json.dumps([self.commit, search.store.version, search.store.fingerprint])
        marks = hashlib.sha256(about.encode()).hexdigest()
        found = {row["writer"]: row for row in journalled_pieces.rows(state) if row["of"] == marks}
        every = search.comparer.same_writer.sums(search.index.prototypes(np.arange(len(search.index.counts))))
        files = _files(search)
        for writer in queries.pages:
            if writer not in found:
                row = _ask(search, queries, writer, files, every)
                found[writer] = {"of": marks, "writer": writer, **row}
                journalled_pieces.add(state, found[writer])
        rows = [found[writer] for writer in queries.pages]
        return {
            "pages": len(search.index.segment),
            "hands": len(search.index.counts),
            "seconds_to_build_and_open": round(opened, 1),
            **_figures(rows),
            "by_database": {
                name: _figures([row for row in rows if queries.database(row["writer"]) == name])
                for name in queries.databases
            },
        }

    def weigh(self, scans: list[str]) -> dict[str, Any]:
        """Kilobytes a page of a store of scans, with thumbnails and index."""
        paths, folder = find_scans(scans).scans, self.state / "weighed"
        index_archive(paths, folder, self.model, engine=LocalProcesses(self.workers))
        pages = len(self._indexed(folder))
        parts = {"all": folder, "index": folder / "index"}
        size = {
            name: sum(path.stat().st_size for path in part.rglob("*") if path.is_file())
            for name, part in parts.items()
        }
        return {
            "pages": pages,
            "kilobytes_a_page": round(size["all"] / pages / 1000, 2),
            "index_kilobytes_a_page": round(size["index"] / pages / 1000, 2),
        }


def sampled_pages(model: Plda, pages: int) -> Iterator[PageEntry]:
    """Pages x = mean + writer + session + word/√n of one hand, four of each writer, in raw dimensions."""
    rng, dims = np.random.default_rng(0), len(model.writer)
    back = np.linalg.pinv(model.projection)
    for number in range(pages):
        if number % SAMPLED_PAGES == 0:
            hand = rng.normal(size=dims) * np.sqrt(model.writer)
        noise = rng.normal(size=dims) * np.sqrt(model.session + 1 / SAMPLED_WORDS)
        vector = np.asarray((hand + noise) @ back + model.mean, np.float32)
        name = f"{SAMPLED}{number // SAMPLED_PAGES}-{number % SAMPLED_PAGES}"
        hands = (HandEntry("A", SAMPLED_WORDS, vector),)
        yield PageEntry(name, name, 1, SAMPLED_WORDS, vector, hands)


def _files(search: HandSearch) -> list[str]:
    """File of each page of the index."""
    files = {place: entry.file for place, entry in search.store.entries(("file", "sha256", "page"))}
    return [files[search.index.place(page)] for page in range(len(search.index.segment))]


def _ask(search: HandSearch, queries: Queries, writer: str, files: list[str], every: Sums) -> dict[str, Any]:
    """Recall and average precision of one query in both stages and by brute force, and milliseconds."""
    query, own = queries.query(search, writer), queries.pages[writer]
    model = search.comparer.same_writer
    start = time.perf_counter()
    near = search.nearest(query.prototype, CANDIDATES)
    first = time.perf_counter()
    found = search.find(query, count=CANDIDATES)
    shown = time.perf_counter()
    listed = search.find(query)
    second = time.perf_counter()
    weight = model.ratios(query.side, every).weight
    brute = time.perf_counter()
    writers = [queries.writers.get(file, "") for file in files]  # none for drawn and sampled pages
    hidden = files.index(own)
    relevant = writers.count(writer) - 1
    ranked = {
        "first_stage": [writers[page] for page in _pages(search, near) if page != hidden],
        "reranked": [queries.writers.get(page.entry.file, "") for page in found.pages],
        "brute_force": [
            writers[page] for page in _pages(search, np.argsort(-weight, kind="stable")) if page != hidden
        ],
    }
    assert [page.entry.file for page in listed.pages] == [page.entry.file for page in found.pages[:20]]
    milliseconds = {"first_stage": first - start, "reranked": second - shown, "brute_force": brute - second}
    return {
        name: {**_ranking(names, writer, relevant), "ms": round(1000 * milliseconds[name], 2)}
        for name, names in ranked.items()
    }


def _pages(search: HandSearch, hands: NDArray[np.int64]) -> list[int]:
    """Pages of hands in their order, each once."""
    return list(dict.fromkeys(search.index.page[hands].tolist()))


def _ranking(names: list[str], writer: str, relevant: int) -> dict[str, float]:
    hits = np.array([name == writer for name in names])
    places = np.flatnonzero(hits) + 1
    return {
        "recall_at_10": float(hits[:10].sum() / min(10, relevant)),
        "average_precision": float((np.arange(1, len(places) + 1) / places).sum() / relevant),
        "first_is_right": float(hits[:1].sum()),
    }


def _figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    if not rows:
        return {}
    return {
        stage: _means([row[stage] for row in rows]) for stage in ("first_stage", "reranked", "brute_force")
    }


def _means(rows: list[dict[str, float]]) -> dict[str, Any]:
    names = {"recall_at_10": "recall_at_10", "mean_average_precision": "average_precision"}
    values = {name: [row[of] for row in rows] for name, of in names.items()}
    return {
        **{name: round(float(np.mean(each)), 4) for name, each in values.items()},
        **{f"{name}_interval": _interval(each) for name, each in values.items()},
        "first_is_right": round(float(np.mean([row["first_is_right"] for row in rows])), 4),
        "milliseconds": round(statistics.median(row["ms"] for row in rows), 2),
    }


def _interval(values: list[float]) -> list[float]:
    """95 % bootstrap interval over writers, one query each."""
    drawn = np.random.default_rng(0).choice(values, (1000, len(values))).mean(axis=1)
    return [round(float(end), 4) for end in np.percentile(drawn, (2.5, 97.5))]


if __name__ == "__main__":
    main()
