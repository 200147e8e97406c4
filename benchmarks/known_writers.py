"""What benchmarks on labelled pages share: their options, and the vectors of one part of a split."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.crop_cache import words_of
from handshift.models.shipped_models import ShippedModel, find_model


@dataclass(frozen=True)
class KnownWriters:
    """The words of writers whom a model has not learnt from."""

    table: WordCollection
    writers: Sequence[str]
    model: ShippedModel
    vectors: NDArray[np.float32]
    """(words, dimensions); zero where another writer wrote."""


def options_for(description: str | None, out: str) -> argparse.ArgumentParser:
    """Data, split, cut words, part, model, threads and where results go."""
    options = argparse.ArgumentParser(description=description, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--data", type=Path, default=Path("../shared/data/csafe"))
    options.add_argument("--split", type=Path, default=Path("studies/splits/csafe.json"))
    options.add_argument("--words", type=Path, default=Path("runs/words/words"), help="word pictures")
    options.add_argument("--part", default="test")
    options.add_argument("--model", default=None)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--out", type=Path, default=Path(out))
    return options


def known_writers(given: argparse.Namespace, part: str | None = None) -> KnownWriters:
    """Cut, unless that has been done, and embed; of the part asked for, or of another."""
    corpus = read_corpus(given.data)
    writers = WriterSplit.load(given.split, known=corpus.writers).parts[part or given.part]
    table = words_of(corpus, given.words)
    model = find_model(given.model)
    return KnownWriters(table, writers, model, model.vectors_of(table, writers, given.threads))
