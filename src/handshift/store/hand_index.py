"""`HandIndex`: the hands of a store's pages in the space where distance is evidence, for fast search.

With ρ = β/√(v_q·v_d) of `log_ratios`, the PLDA ratio of query x against y is, up to a constant of the query,
−½ Σ (x − ρy)²/(1 − ρ²). So the pages of largest ratio are the nearest ones of z(y) = ρy/√(1 − ρ²) to
x/√(1 − ρ²): Euclidean search by an inverted file. The query's number of words is taken as `TYPICAL_WORDS`
here; the second stage uses the true one.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes, write_text
from handshift.core.loaders import LoadError, map_npy, read_json_object
from handshift.detect.plda import Plda
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.prototypes import Prototypes
from handshift.store.archive_store import ArchiveStore, Place, local_place
from handshift.store.inverted_file import InvertedFile

FOLDER = "index"
TYPICAL_WORDS = 40.0
_ABOUT = "index.json"
WHOLE = ""
"""Name of the hand that stands for all words of a page of several hands."""


@dataclass(frozen=True)
class HandIndex:
    """Every hand of every page, and of a page of several hands also all its words together."""

    near: InvertedFile
    means: NDArray[np.float32]
    """(hands, raw dimensions + 1), the size of the writing beside the vector: see `with_sizes`."""
    counts: NDArray[np.float32]
    """(hands,) words."""
    page: NDArray[np.int64]
    """(hands,) number of the page."""
    hand: NDArray[np.int16]
    """(hands,) place of the hand on its page; −1 for all words of the page."""
    segment: NDArray[np.int32]
    """(pages,) number of the segment."""
    row: NDArray[np.int32]
    """(pages,) row in the segment."""
    segments: tuple[str, ...]

    def prototypes(self, numbers: NDArray[np.int64]) -> Prototypes:
        """Means and counts of some hands."""
        return Prototypes(np.asarray(self.means[numbers], float), np.asarray(self.counts[numbers], float))

    def place(self, page: int) -> Place:
        """Where the page's entry lies."""
        return self.segments[int(self.segment[page])], int(self.row[page])

    @classmethod
    def of(cls, store: ArchiveStore, model: Plda) -> HandIndex:
        """Load the store's index; it is built anew where the store or the model has changed."""
        folder = local_place(store.folder) / FOLDER
        version = _version(store, model)
        try:
            if read_json_object(folder / _ABOUT).get("version") == version:
                return cls._load(folder, tuple(store.segments))
        except LoadError:  # there is none yet
            pass
        index = cls.build(store, model)
        index._save(folder, version)
        return index

    @classmethod
    def build(cls, store: ArchiveStore, model: Plda) -> HandIndex:
        """Read all entries of a store."""
        segments = tuple(store.segments)
        number = {name: place for place, name in enumerate(segments)}
        means: list[Any] = []
        sizes: list[float] = []
        counts: list[Any] = []
        pages: list[Any] = []
        hands: list[Any] = []
        places: list[Any] = []
        seen: set[tuple[str, int]] = set()
        for (segment, row), entry in store.entries(_COLUMNS):
            if entry.vector is None or entry.key in seen:  # the same content under two names is one page
                continue
            seen.add(entry.key)
            rows = [(place, one.words, one.vector, one.size) for place, one in enumerate(entry.hands)]
            if len(rows) != 1:
                rows.append((-1, entry.words, entry.vector, entry.size))
            for place, words, vector, size in rows:
                means.append(vector)
                sizes.append(np.nan if size is None else size)
                counts.append(words)
                pages.append(len(places))
                hands.append(place)
            places.append((number[segment], row))
        stacked = np.array(means, np.float32).reshape(len(means), store.dimensions)
        counted = np.array(counts, np.float32)
        where = np.array(places, np.int32).reshape(len(places), 2)
        return cls(
            InvertedFile.build(rows_near(model, Prototypes(stacked.astype(float), counted.astype(float)))),
            with_sizes(stacked, np.array(sizes)),
            counted,
            np.array(pages, np.int64),
            np.array(hands, np.int16),
            where[:, 0],
            where[:, 1],
            segments,
        )

    def _save(self, folder: Path, version: str) -> None:
        (folder / _ABOUT).unlink(missing_ok=True)
        self.near.save(folder)
        for name in _ARRAYS:
            content = io.BytesIO()
            np.save(content, getattr(self, name), allow_pickle=False)
            write_bytes(folder / f"{name}.npy", content.getvalue())
        write_text(folder / _ABOUT, json.dumps({"version": version}))  # last: it marks the others as complete

    @classmethod
    def _load(cls, folder: Path, segments: tuple[str, ...]) -> HandIndex:
        arrays = {name: map_npy(folder / f"{name}.npy") for name in _ARRAYS}
        return cls(InvertedFile.load(folder), **arrays, segments=segments)


_COLUMNS = ("file", "sha256", "page", "words", "vector", "size", "hands")
_ARRAYS = ("means", "counts", "page", "hand", "segment", "row")


def rows_near(model: Plda, hands: Prototypes) -> NDArray[np.float32]:
    """(hands, dimensions) ρy/√(1 − ρ²) of stored hands."""
    y, rho = _standardised(model, hands)
    return np.asarray(rho * y / np.sqrt(1 - rho * rho), np.float32)


def query_near(model: Plda, query: Prototypes) -> NDArray[np.float32]:
    """(queries, dimensions) x/√(1 − ρ²) of queries."""
    x, rho = _standardised(model, query)
    return np.asarray(x / np.sqrt(1 - rho * rho), np.float32)


def _standardised(model: Plda, hands: Prototypes) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    level = model.writer + model.session
    variance = level + 1 / hands.counts[:, None]
    rho = model.writer / np.sqrt(variance * (level + 1 / TYPICAL_WORDS))
    return model.project_means(hands) / np.sqrt(variance), rho


def _version(store: ArchiveStore, model: Plda) -> str:
    sha = hashlib.sha256(f"{store.version} {model.length}".encode())
    for array in (model.mean, model.projection, model.writer, model.session):
        sha.update(np.ascontiguousarray(array).tobytes())
    return sha.hexdigest()
