"""The pages of `find.py`: scans, words of other writers, drawn pages, and page vectors that are sampled."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handshift.bag.pages import pages_of
from handshift.calibration.calibration_data import plda_of
from handshift.core.folder_lock import locked
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds
from handshift.corpus.databases.splits import load_split
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.corpus.split import WriterSplit
from handshift.detect.plda import Plda
from handshift.embedding.word_vectors import WordVectors, vectors_by_network
from handshift.models.shipped_models import find_model
from handshift.store.archive_store import COMPACTED_PAGES, ArchiveStore
from handshift.store.index_pages import vector_entries
from handshift.store.page_entry import HandEntry, PageEntry

ASKING = ("csafe", "iam", "copiste")
"""Databases whose test writers are looked for."""
DRAWN_PAGES, DRAWN_WORDS = 4, 16
"""Pages of each scribe, and words on a page."""
SAMPLED, SAMPLED_PAGES, SAMPLED_WORDS = "sampled-", 4, 60
"""Name, pages a writer and words a page of sampled pages."""


@dataclass(frozen=True)
class RealPages:
    """Scans of test writers, whose hands are looked for, and words of all others."""

    scans: list[Path]
    writer: dict[str, str]
    """Scan → writer, unique over the databases."""

    @classmethod
    def read(cls, data: Path, splits: Path) -> RealPages:
        """Every page of a test writer of the asking databases."""
        writer: dict[str, str] = {}
        for name in ASKING:
            database = read_database(data, name)
            tested = database.written_by(load_split(database, splits).parts["test"])
            writer |= {str(one.path): one.writer for one in tested.records if one.holds is Holds.PAGE}
        return cls([Path(name) for name in writer], writer)


def index_other_writers(vectors: Path, store: Path, model: str | None, tested: set[str]) -> None:
    """Index the pages of a folder of `handshift corpus embed`, those of the tested writers left out."""
    table = WordVectors.load(vectors)
    own = np.unique(table.page[np.isin(table.writer, sorted(tested))])
    left_out = {(f"{table.fingerprint}/{page}", 1) for page in own}
    shipped = find_model(model)
    dimensions = int(shipped.covariances().projection.shape[0])
    with locked(store):
        archive = ArchiveStore.create(store, shipped.card.id, shipped.fingerprint(), dimensions)
        known = {entry.key for _, entry in archive.entries(("file", "sha256", "page"))}
        for entry in vector_entries(vectors, model, known | left_out):
            if entry is not None:
                archive.add(entry)
                archive.end_file()
        archive.flush()


def drawn_pages(folder: Path, count: int) -> list[Path]:
    """Small pages at 150 dpi, four by each scribe: hands that no query looks for."""
    folder.mkdir(parents=True, exist_ok=True)
    text, layout = ENGLISH.split(), Layout(width_mm=140.0, height_mm=90.0)
    paths = [folder / f"{number:05d}.png" for number in range(count)]
    for number, path in enumerate(paths):
        if not path.exists():
            words = " ".join(text[(7 * number + place) % len(text)] for place in range(DRAWN_WORDS))
            scribe = Scribe(1000 + number // DRAWN_PAGES)
            save_page(draw_page([Passage(scribe, words)], seed=number, layout=layout, dpi=150.0), path)
    return paths


def fitted_on_train_writers(vectors: Path, network: Path) -> Plda:
    """Writer, session and word model of the train writers in a folder of `handshift corpus embed`."""
    table = vectors_by_network(network, vectors)
    writers = sorted(WriterSplit.load(vectors / "split.json").parts["train"])
    return plda_of(table, table.vectors, pages_of(table, writers, 8))


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
