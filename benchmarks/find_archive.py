"""The pages of `find.py`: scans of several databases, drawn pages, and page vectors that are sampled."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handshift.bag.pages import pages_of
from handshift.calibration.calibration_data import plda_of
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.record import Holds
from handshift.corpus.databases.splits import load_split
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.corpus.split import WriterSplit
from handshift.detect.plda import Plda
from handshift.embedding.word_vectors import vectors_by_network
from handshift.page.find_scans import find_scans
from handshift.store.archive_store import COMPACTED_PAGES, ArchiveStore
from handshift.store.page_entry import HandEntry, PageEntry

ASKING = ("csafe", "iam", "copiste")
"""Databases whose test writers are looked for."""
PENS, WILLS = "pens", "wills"
"""Further scans; nobody is looked for who wrote them."""
DRAWN_PAGES, DRAWN_WORDS = 4, 24
"""Pages of each scribe, and words on a page."""
SAMPLED, SAMPLED_PAGES, SAMPLED_WORDS = "sampled-", 4, 60
"""Name, pages a writer and words a page of sampled pages."""


@dataclass(frozen=True)
class RealPages:
    """Every scan of a page, and who wrote it."""

    paths: list[Path]
    writer: dict[str, str]
    """Path → writer, unique over the databases; none for the wills, whose clerks are not named."""
    tested: tuple[str, ...]
    """Test writers of the asking databases."""

    @classmethod
    def read(cls, data: Path, splits: Path) -> RealPages:
        paths: list[Path] = []
        writer: dict[str, str] = {}
        tested: list[str] = []
        for name in (*ASKING, PENS):
            database = read_database(data, name)
            pages = [record for record in database.records if record.holds is Holds.PAGE]
            paths += [record.path for record in pages]
            writer |= {str(record.path): record.writer for record in pages}
            if name in ASKING:
                tested += sorted(load_split(database, splits).parts["test"])
        paths += find_scans([data / WILLS]).scans
        return cls(paths, writer, tuple(tested))


def drawn_pages(folder: Path, count: int) -> list[Path]:
    """Small pages, four by each scribe: hands that no query looks for."""
    folder.mkdir(parents=True, exist_ok=True)
    text, layout = ENGLISH.split(), Layout(width_mm=150.0, height_mm=130.0)
    paths = [folder / f"{number:05d}.png" for number in range(count)]
    for number, path in enumerate(paths):
        if not path.exists():
            words = " ".join(text[(7 * number + place) % len(text)] for place in range(DRAWN_WORDS))
            scribe = Scribe(1000 + number // DRAWN_PAGES)
            save_page(draw_page([Passage(scribe, words)], seed=number, layout=layout), path)
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
    for old in extended.glob("segment-*"):
        old.unlink()
    after = ArchiveStore.create(extended, before.model, before.fingerprint, before.dimensions)
    entries = [*(entry for _, entry in before.entries()), *sampled_pages(model, count)]
    for start in range(0, len(entries), COMPACTED_PAGES):
        for entry in entries[start : start + COMPACTED_PAGES]:
            after.add(entry)
        after.flush()
    mark.write_text(version)
    return extended


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
