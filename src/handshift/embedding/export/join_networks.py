"""Joins trained networks into one by LDA of their vectors: `handshift train join` as a library call."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection, load_words
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.discriminant import fit_discriminant
from handshift.embedding.export.joined_graph import write_joined
from handshift.embedding.export.smaller import smaller_files
from handshift.embedding.train.held_out import HeldOutPairs
from handshift.embedding.train.sampling import by_writer_and_session

FILE = "joined.json"
"""Record, beside the network, of its members."""
_RECIPE = Path("training", "training.json")
_WORDS_EACH = 120
"""Words of a writer that LDA is fitted on, uniform over sessions."""
_BLOCK = 1024


@dataclass(frozen=True)
class JoinedNetwork:
    """A joined network and its figures on the held-out writers."""

    network: Path
    members: int
    dimensions: int
    metrics: dict[str, float]
    before: dict[str, float]
    """Figures of the concatenated vectors before LDA."""
    smaller: tuple[str, ...] = ()
    """One line for each smaller file written beside the network."""

    def __str__(self) -> str:
        figures = ", ".join(f"{name} {value:.3f}" for name, value in self.metrics.items())
        joined = (
            f"{self.network}: {self.members} network(s) in {self.dimensions} dimensions: {figures} "
            f"(before LDA, auc {self.before['auc']:.3f}; chance AUC 0.5)"
        )
        return "\n".join([joined, *self.smaller])


def join_networks(
    networks: Sequence[Path],
    words: Path,
    split: Path,
    out: Path,
    *,
    dimensions: int = 48,
    shrinkage: float = 0.9,
    threads: int = 2,
    half: bool = False,
) -> JoinedNetwork:
    """Join networks trained on the same writers: concatenate their vectors and project them by LDA.

    Args:
        networks: words.onnx of each training.
        words: Folder of word crops that a training cut.
        split: Writer split they were trained with.
        out: Folder for the joined words.onnx.
        dimensions: Dimensions after the projection.
        shrinkage: Of the within-writer covariance.
        threads: Processor threads.
        half: Write words-half.onnx too.

    Returns:
        The joined network and its figures on the validation writers.

    Raises:
        HandshiftError: A file is missing, or the words do not belong to the split.
    """
    collection, parts = _words(networks, words, split)
    rows = _some_of_each(collection, parts["train"])
    held_out = HeldOutPairs.of(collection, parts["validation"])
    known, unseen = _concatenated(networks, threads, collection, rows, held_out.rows)
    discriminant = fit_discriminant(known, collection.writer[rows], dimensions, shrinkage)
    out.mkdir(parents=True, exist_ok=True)
    network = out / "words.onnx"
    write_joined(networks, discriminant, network)
    before = held_out.figures(unseen)
    metrics = held_out.figures(Embedder(network, threads).embed_crops(held_out.crops))
    _write_record(
        out, networks, dimensions, shrinkage, {"joined": metrics, "before they were turned": before}
    )
    smaller = tuple(smaller_files(held_out, rows, network, half=half, int8=False))
    return JoinedNetwork(network, len(networks), dimensions, metrics, before, smaller)


def _words(
    networks: Sequence[Path], folder: Path, split: Path
) -> tuple[WordCollection, Mapping[str, Sequence[str]]]:
    for network in networks:
        if not network.is_file():
            raise HandshiftError(f"{network}: no such file; give the words.onnx of a training")
    words = load_words(folder)
    return words, WriterSplit.load(split, known=np.unique(words.writer).tolist()).parts


def _concatenated(
    networks: Sequence[Path], threads: int, words: WordCollection, *rows: NDArray[np.int64]
) -> list[NDArray[np.float32]]:
    """Of each set of rows, the vectors of all networks, concatenated."""
    embedders = [Embedder(network, threads) for network in networks]
    vectors = []
    with Progress(transient=True) as progress:
        bar = progress.add_task("embedding", total=sum(map(len, rows)))
        for chosen in rows:
            parts = []
            for start in range(0, len(chosen), _BLOCK):
                crops = words.crops[chosen[start : start + _BLOCK]]
                parts.append(np.concatenate([one.embed_crops(crops) for one in embedders], axis=1))
                progress.advance(bar, len(crops))
            vectors.append(np.concatenate(parts))
    return vectors


def _write_record(
    out: Path,
    networks: Sequence[Path],
    dimensions: int,
    shrinkage: float,
    validation: Mapping[str, Mapping[str, float]],
) -> None:
    content = {
        "members": [_member(network) for network in networks],
        "dimensions": dimensions,
        "shrinkage": shrinkage,
        "words_each": _WORDS_EACH,
        "validation": validation,
    }
    write_text(out / FILE, json.dumps(content, indent=1) + "\n")


def _some_of_each(words: WordCollection, writers: Sequence[str]) -> NDArray[np.int64]:
    """Sorted rows, at most `_WORDS_EACH` of a writer, equally many of each session where possible."""
    rng = np.random.default_rng(0)
    chosen = []
    for sessions in by_writer_and_session(words, writers):
        each = -(-_WORDS_EACH // len(sessions))
        chosen += [rng.permutation(rows)[:each] for rows in sessions]
    return np.sort(np.concatenate(chosen))


def _member(network: Path) -> dict[str, Any]:
    recipe = network.parent / _RECIPE
    return {
        "network": f"{network.parent.name}/{network.name}",
        "sha256": hashlib.sha256(network.read_bytes()).hexdigest(),
        "recipe": read_json_object(recipe, "a recipe") if recipe.is_file() else None,
    }
