"""The pages of `find.py`: scans of several databases, drawn pages, and page vectors that are sampled."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds, Record
from handshift.corpus.databases.splits import load_split
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.detect.plda import Plda, fit_plda
from handshift.embedding.word_vectors import vectors_by_network
from handshift.models.shipped_models import find_model
from handshift.store.archive_store import COMPACTED_PAGES, ArchiveStore
from handshift.store.index_pages import FEWEST_WORDS, hands_finder, page_vector
from handshift.store.page_entry import HandEntry, PageEntry

DATABASES = ("csafe", "iam", "copiste")
"""All their pages are indexed; their test writers are looked for."""
_COLUMNS = ("file", "sha256", "page", "words", "vector")
DRAWN_PAGES, DRAWN_WORDS = 4, 16
"""Pages of each scribe, and words on a page."""
SAMPLED, SAMPLED_PAGES, SAMPLED_WORDS = "sampled-", 4, 60
"""Name, pages a writer and words a page of sampled pages."""


@dataclass(frozen=True)
class RealPages:
    """Every scan of a page of several databases, and who wrote it when."""

    records: dict[str, Record]
    """By path; those of test writers, whose hands are looked for, first."""
    parts: dict[str, set[str]]
    """Writers of each part of the splits, unique over the databases."""

    @classmethod
    def read(cls, data: Path, splits: Path) -> RealPages:
        records: list[Record] = []
        parts: dict[str, set[str]] = defaultdict(set)
        for name in DATABASES:
            database = read_database(data, name)
            records += [record for record in database.records if record.holds is Holds.PAGE]
            for part, writers in load_split(database, splits).parts.items():
                parts[part].update(writers)
        records.sort(key=lambda record: record.writer not in parts["test"])
        return cls({str(record.path): record for record in records}, dict(parts))

    @property
    def scans(self) -> list[Path]:
        return [Path(path) for path in self.records]

    def writer(self, file: str) -> str:
        """Empty for a page that was drawn or sampled."""
        return self.records[file].writer if file in self.records else ""


def drawn_pages(folder: Path, count: int) -> list[Path]:
    """Small pages at 150 dpi, four by each scribe: hands that no query looks for."""
    folder.mkdir(parents=True, exist_ok=True)
    text, layout = ENGLISH.split(), Layout(width_mm=140.0, height_mm=115.0)
    paths = [folder / f"{number:05d}.png" for number in range(count)]
    for number, path in enumerate(paths):
        if not path.exists():
            words = " ".join(text[(7 * number + place) % len(text)] for place in range(DRAWN_WORDS))
            scribe = Scribe(1000 + number // DRAWN_PAGES)
            save_page(draw_page([Passage(scribe, words)], seed=number, layout=layout, dpi=150.0), path)
    return paths


def fitted_on_train_writers(store: Path, real: RealPages) -> Plda:
    """The model x = mean + writer + session + page of page vectors, a page being the mean of its words."""
    entries = [entry for _, entry in ArchiveStore.open(store).entries(_COLUMNS) if entry.vector is not None]
    own = [entry for entry in entries if real.writer(entry.file) in real.parts["train"]]
    records = [real.records[entry.file] for entry in own]
    return fit_plda(
        np.array([entry.vector for entry in own], float),
        np.array([record.writer for record in records]),
        np.array([record.session for record in records], np.int64),
        dimensions=len(own[0].vector if own[0].vector is not None else ()),
        population=np.array([record.database for record in records]),
    )


def index_from_vectors(real: RealPages, folder: Path, store: Path, model: str | None) -> int:
    """Index the scans that are not in the store by the vectors of their words, without thumbnail and size.

    Args:
        real: The scans.
        folder: What `handshift corpus embed` wrote with the model's network.
        store: The store.
        model: As for `find_model`.

    Returns:
        How many scans.
    """
    shipped = find_model(model)
    table = vectors_by_network(shipped.folder / "words.onnx", folder)
    find_hands = hands_finder(shipped)
    pages, of = np.unique(table.page, return_inverse=True)
    order = np.argsort(of, kind="stable")
    rows = dict(zip(pages.tolist(), np.split(order, np.cumsum(np.bincount(of))[:-1]), strict=True))
    archive = ArchiveStore.open(store)
    known = archive.files()
    missing = [path for path in real.scans if str(path) not in known]
    for path in missing:
        own = np.asarray(table.vectors[rows.get(real.records[str(path)].page, [])])
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        if len(own) < FEWEST_WORDS:
            entry = PageEntry(str(path), sha256, 1, len(own), error="too few words")
        else:
            hands = find_hands(own, np.full(len(own), np.nan))
            entry = PageEntry(str(path), sha256, 1, len(own), page_vector(own), None, hands)
        archive.add(entry)
        archive.end_file()
    archive.flush()
    return len(missing)


def extended_store(store: Path, extended: Path, model: Plda, count: int) -> Path:
    """A store with the pages of another and `count` sampled ones, made anew unless it is complete."""
    before, mark = ArchiveStore.open(store), extended.with_suffix(".json")
    version = json.dumps([before.version, count, model.writer.tolist()])
    if mark.exists() and mark.read_text() == version:
        return extended
    shutil.rmtree(extended, ignore_errors=True)
    copied(store, extended, [*(entry for _, entry in before.entries()), *sampled_pages(model, count)])
    mark.write_text(version)
    return extended


def copied(store: Path, folder: Path, entries: Sequence[PageEntry]) -> None:
    """Make a store like another with these entries."""
    before = ArchiveStore.open(store)
    after = ArchiveStore.create(folder, before.model, before.fingerprint, before.dimensions)
    for start in range(0, len(entries), COMPACTED_PAGES):
        for entry in entries[start : start + COMPACTED_PAGES]:
            after.add(entry)
        after.flush()


def sampled_pages(model: Plda, pages: int) -> Iterator[PageEntry]:
    """Pages of one hand, four of each writer, each of a session of its own."""
    rng, dims = np.random.default_rng(0), len(model.writer)
    back = np.linalg.pinv(model.projection)
    for number in range(pages):
        if number % SAMPLED_PAGES == 0:
            hand = rng.normal(size=dims) * np.sqrt(model.writer)
        noise = rng.normal(size=dims) * np.sqrt(model.session + 1.0)  # a page has the variance 1
        vector = np.asarray((hand + noise) @ back + model.mean, np.float32)
        name = f"{SAMPLED}{number // SAMPLED_PAGES}-{number % SAMPLED_PAGES}"
        hands = (HandEntry("A", SAMPLED_WORDS, vector),)
        yield PageEntry(name, name, 1, SAMPLED_WORDS, vector, None, hands)
