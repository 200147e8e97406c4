"""Embeds the words of several databases into one folder of vectors, for detectors and calibration."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.layouts import is_drawn
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.splits import PARTS, load_split
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.record_collection import load_records
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_table import REQUIRED, SIZE, TABLE, size_text
from handshift.embedding.word_vectors import MADE_OF, VECTORS, WordVectors, file_sha256

SPLIT = "split.json"
COPIED_TEXTS = ("csafe",)
"""Databases whose writers all copied the same few texts, so that pages of one text can be mixed."""


@dataclass(frozen=True)
class EmbeddedDatabases:
    """Vectors of several databases, and the split of all their writers."""

    folder: Path
    vectors: WordVectors
    split: WriterSplit

    def __str__(self) -> str:
        words, dimensions = self.vectors.vectors.shape
        parts = ", ".join(f"{part} {len(writers)}" for part, writers in self.split.parts.items())
        return f"{self.folder}: {words} words × {dimensions} dimensions; writers: {parts}"


def embed_databases(
    data: Path,
    words: Path,
    splits: Path,
    databases: Sequence[str],
    network: Path,
    out: Path,
    parts: Sequence[str] = PARTS,
    threads: int = 2,
) -> EmbeddedDatabases:
    """Embed the cut words of several databases, one after the other.

    `out` gets vectors.npy and words.csv as of one corpus, with writer names that are unique over databases,
    and split.json, the databases' splits joined. A page's prompt is its text where a database has texts that
    all copied, and its database elsewhere: foreign words come from the same database always, since scanner
    and preparation of another would give them away.

    Args:
        data: Folder that holds the databases' folders.
        words: Folder with the words of each, as `handshift corpus cut` left them.
        splits: Folder with the split of each.
        databases: Their names.
        network: An exported network, trained with crops at the scale of the writing.
        out: Folder for the vectors.
        parts: Only the writers of these parts of the splits.
        threads: Processor threads.

    Returns:
        The vectors with their split.

    Raises:
        HandshiftError: Words or a split are missing, or the network needs other crops.
    """
    embedder = Embedder(network, threads)
    if embedder.scaling is not Scaling.WRITING:
        raise HandshiftError(
            f"{network}: needs crops scaled by the {embedder.scaling}; databases are cut by the writing"
        )
    table, joined = io.StringIO(), {part: list[str]() for part in parts}
    rows = csv.writer(table, lineterminator="\n")
    rows.writerow((*REQUIRED, SIZE))
    vectors: list[NDArray[np.float32]] = []
    for name in databases:
        database = read_database(data, name)
        own = load_split(database, splits).parts
        cut = load_records(database, words / name)
        at = cut.rows_of([writer for part in parts for writer in own[part]])
        vectors.append(embedder.embed_crops(cut.crops[at]))
        rows.writerows(_rows(cut, at, name))
        for part in parts:
            joined[part] += own[part]
    split = WriterSplit("+".join(databases), 0, {part: tuple(sorted(own)) for part, own in joined.items()})
    out.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    np.save(content, np.concatenate(vectors))
    (out / MADE_OF).unlink(missing_ok=True)
    write_bytes(out / VECTORS, content.getvalue())
    write_text(out / TABLE, table.getvalue())
    split.save(out / SPLIT)
    made_of = {"network": file_sha256(network), "databases": list(databases), "parts": list(parts)}
    write_text(out / MADE_OF, json.dumps(made_of))  # last: it marks the others as complete
    return EmbeddedDatabases(out, WordVectors.load(out), split)


def _rows(words: WordCollection, at: NDArray[np.int64], database: str) -> list[tuple[object, ...]]:
    copied = database in COPIED_TEXTS
    session = _sessions(words, database)
    return [
        (
            words.page[row],
            words.writer[row],
            session[row],
            words.prompt[row] if copied else database,
            "" if words.size is None else size_text(words.size[row]),
        )
        for row in at
    ]


def _sessions(words: WordCollection, database: str) -> NDArray[np.int64]:
    """(words,) the session of each word; drawn pages are numbered through instead."""
    if is_drawn(database):
        return 1 + np.unique(words.page, return_inverse=True)[1].astype(np.int64)
    return words.session
