"""Word vectors of a collection in a folder: vectors.npy, words.csv, and a note of what made them."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, map_npy, read_json, read_json_object
from handshift.embedding.crops.collection import WordCollection, load_words
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_table import TABLE, WordRows
from handshift.engine.engine import Engine

VECTORS, MADE_OF = "vectors.npy", "vectors.json"
_RANGE = 512
"""Crops that a worker embeds at a time: two seconds of one core."""


@dataclass(frozen=True)
class WordVectors:
    """Vectors and, row by row, page, writer, session and prompt; words of a page in reading order."""

    vectors: NDArray[np.float32]
    """(words, dimensions), a memory map."""
    page: NDArray[np.str_]
    writer: NDArray[np.str_]
    session: NDArray[np.int64]
    prompt: NDArray[np.str_]
    fingerprint: str
    """Hash of vectors and table."""
    size: NDArray[np.float64] | None = None
    """(words,) ln of the size in mm, NaN where the resolution is not known; None where it is of no word."""

    @classmethod
    def load(cls, path: Path) -> WordVectors:
        """Open a folder with vectors.npy and words.csv, or such an array with words.csv beside it.

        Raises:
            HandshiftError: A file is missing or damaged, or the two have different lengths.
        """
        array, table = (path / VECTORS, path / TABLE) if path.is_dir() else (path, path.parent / TABLE)
        try:
            vectors = map_npy(array)
            rows = WordRows.read(table)
        except (OSError, ValueError, KeyError, TypeError, LoadError) as error:
            raise HandshiftError(
                f"{path}: expected {VECTORS} and {TABLE} (page, writer, session, prompt): {error}"
            ) from error
        if vectors.ndim != 2 or len(vectors) != len(rows):
            raise HandshiftError(f"{array}: {vectors.shape} vectors for the {len(rows)} rows of {table}")
        sha = hashlib.sha256(table.read_bytes())
        for start in range(0, len(vectors), 65536):  # not the whole array in memory at once
            sha.update(vectors[start : start + 65536].tobytes())
        sha256 = sha.hexdigest()[:16]
        return cls(vectors, rows.page, rows.writer, rows.session, rows.prompt, sha256, rows.size)


def cached_vectors(
    words: Path, network: Path, folder: Path, threads: int = 2, engine: Engine | None = None
) -> WordVectors:
    """Embed a folder of word crops, as `train embed` leaves one; cached in `folder`.

    Args:
        words: Folder with crops.npy and words.csv.
        network: The exported network.
        folder: Where vectors are cached.
        threads: Processor threads.
        engine: Where crops are embedded; in this process if None.

    Returns:
        The vectors.

    Raises:
        HandshiftError: A file cannot be read, or workers died with a part of the crops.
    """
    made_of = {"network": file_sha256(network), "table": file_sha256(words / TABLE)}
    note = folder / MADE_OF
    if not (note.exists() and read_json(note) == made_of):
        crops = load_words(words).crops
        buffer = io.BytesIO()
        if engine is None:
            np.save(buffer, Embedder(network, threads).embed_crops(crops))
        else:
            np.save(buffer, _embedded_on(engine, EmbedWork(words, network), len(crops)))
        note.unlink(missing_ok=True)
        write_bytes(folder / VECTORS, buffer.getvalue())
        shutil.copyfile(words / TABLE, folder / TABLE)
        write_text(note, json.dumps(made_of))  # last: it marks the others as complete
    return WordVectors.load(folder)


@dataclass(frozen=True, slots=True)
class EmbedWork:
    """Makes the work of one worker: load the network, then embed ranges of the crops in a folder."""

    words: Path
    network: Path

    def __call__(self) -> Callable[[tuple[int, int]], NDArray[np.float32]]:
        """Load the network and map the crops."""
        embedder, crops = Embedder(self.network, threads=1), load_words(self.words).crops
        return lambda rows: embedder.embed_crops(np.asarray(crops[slice(*rows)]))


def _embedded_on(engine: Engine, work: EmbedWork, count: int) -> NDArray[np.float32]:
    ranges = ((start, min(start + _RANGE, count)) for start in range(0, count, _RANGE))
    parts = []
    for outcome in engine.map(work, ranges):
        if outcome.result is None:
            raise HandshiftError(f"crops {outcome.item[0]} to {outcome.item[1]}: {outcome.error}")
        parts.append(outcome.result)
    return np.concatenate(parts)


def embed_writers(words: WordCollection, embedder: Embedder, writers: Iterable[str]) -> WordVectors:
    """Embed the words of some writers, in memory; vectors of all others are zero."""
    rows = words.rows_of(writers)
    vectors = np.zeros((len(words.crops), embedder.dimensions), np.float32)
    vectors[rows] = embedder.embed_crops(words.crops[rows])
    return WordVectors(vectors, words.page, words.writer, words.session, words.prompt, "", words.size)


def vectors_by_network(network: Path, path: Path) -> WordVectors:
    """Load the vectors in a folder and check that `network` made them.

    Raises:
        HandshiftError: The folder's note names another network.
    """
    table, note = WordVectors.load(path), path / MADE_OF
    if note.is_file() and read_json_object(note).get("network") != file_sha256(network):
        raise HandshiftError(
            f"{path}: made by another network than {network}; give that network, or leave out --vectors"
        )
    return table


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, with an error of ours where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise HandshiftError(f"{path}: cannot be read ({error.strerror})") from error
