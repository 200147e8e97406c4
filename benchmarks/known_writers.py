"""Benchmarks on labelled pages: their options, and the word vectors of one part of a split."""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.core.atomic import write_bytes
from handshift.core.folder_lock import locked
from handshift.corpus.databases.record import database_of
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.crop_cache import cached_words
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.embed_databases import SPLIT
from handshift.embedding.word_vectors import MADE_OF, WordVectors, vectors_by_network
from handshift.models.shipped_models import NETWORK, ShippedModel, find_model
from handshift.study.provenance import package_hash


@dataclass(frozen=True)
class KnownWriters:
    """Words and vectors of writers who took no part in a model's training."""

    table: WordCollection | WordVectors
    writers: Sequence[str]
    model: ShippedModel
    vectors: NDArray[np.float32]
    """(words, dimensions); in a benchmark's own cache, zero for words of other writers."""
    database: str
    ink: NDArray[np.int64] | None = None
    """(words,) inked columns of each word, where its picture is there."""


def known_writers_benchmark(script: str, description: str | None) -> Benchmark:
    """A benchmark with options for data, split, cropped words, part, model and threads."""
    benchmark = Benchmark(script, description)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data/csafe"))
    options.add_argument("--split", type=Path, default=Path("studies/splits/csafe.json"))
    options.add_argument("--words", type=Path, default=Path("runs/words/words"), help="cropped words")
    options.add_argument(
        "--vectors",
        type=Path,
        default=Path("runs/benchmark-vectors"),
        help="folder of `handshift embed` for these words or of `handshift corpus embed`, or a cache",
    )
    options.add_argument(
        "--database",
        default="csafe",
        help="whose writers are taken from vectors of several databases: one alone, since paper and scanner "
        "set its pages apart from those of another",
    )
    options.add_argument("--part", default="test")
    options.add_argument("--model", default=None)
    options.add_argument("--threads", type=int, default=2)
    return benchmark


def known_writers(given: argparse.Namespace, part: str | None = None) -> KnownWriters:
    """Crop and embed the words of ``--part``, or of another part, unless that has been done.

    Vectors of `handshift corpus embed` come with their split and with the size of the writing. Cached ones
    are of this model by this code: both are part of the file's name.
    """
    model = find_model(given.model)
    if (given.vectors / SPLIT).is_file():
        made = vectors_by_network(model.folder / NETWORK, given.vectors)
        parts = WriterSplit.load(given.vectors / SPLIT, known=set(made.writer.tolist())).parts
        own = [one for one in parts[part or given.part] if database_of(one) == given.database]
        if not own:
            raise SystemExit(f"{given.vectors}: no {part or given.part} writer of {given.database}")
        return KnownWriters(made, own, model, np.asarray(made.vectors), given.database)
    corpus = read_corpus(given.data)
    writers = WriterSplit.load(given.split, known=corpus.writers).parts[part or given.part]
    table = cached_words(corpus, given.words, scaling=model.scaling())
    ink = ink_lengths(table.crops)
    if (given.vectors / MADE_OF).is_file():
        made = vectors_by_network(model.folder / NETWORK, given.vectors)
        if not np.array_equal(made.page, table.page):
            raise SystemExit(f"{given.vectors}: vectors of other words than {given.words}")
        return KnownWriters(table, writers, model, np.asarray(made.vectors), corpus.name, ink)
    name = f"{model.fingerprint()[:12]}-{package_hash()[:12]}-{part or given.part}.npy"
    with locked(given.vectors, patience=3600):
        if not (given.vectors / name).exists():
            content = io.BytesIO()
            np.save(content, model.vectors_of(table, writers, given.threads))
            write_bytes(given.vectors / name, content.getvalue())
    vectors = np.load(given.vectors / name, allow_pickle=False)
    return KnownWriters(table, writers, model, vectors, corpus.name, ink)
