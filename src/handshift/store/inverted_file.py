"""`InvertedFile`: approximate nearest rows by Euclidean distance (IVF), in plain memory-mapped arrays.

Rows are grouped by their nearest of 4√n centroids; a query looks only into the lists of the centroids nearest
to it, and nothing else is read. ``benchmarks/nearest_words.py`` measures it beside faiss and Lance; decision
14 says why it was kept.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.loaders import map_npy

Rows = NDArray[np.float32]
Numbers = NDArray[np.int64]

UNLISTED = 50_000
"""Rows up to which there is one list."""
EXHAUSTIVE = 250_000
"""Rows up to which a query compares all: some 10 ms, and exact. Of more at least as many: a sixth of the
lists of 100,000 words held .71 of the ten nearest."""
PROBED = 0.24
"""Least share of the lists that a query looks into: .98 of the ten nearest of two million words."""
_ITERATIONS = 8
_SAMPLES_A_LIST = 64
_CELLS = 1 << 20
"""Products of rows and centroids at a time: 4 MB, which stay in the processor's cache."""


@dataclass(frozen=True)
class InvertedFile:
    """Rows sorted by list."""

    rows: Rows
    """(rows, dimensions), list by list."""
    numbers: Numbers
    """(rows,) the row's number as given."""
    starts: Numbers
    """(lists + 1,) where each list begins."""
    centroids: Rows
    """(lists, dimensions)"""
    squares: NDArray[np.float32]
    """(rows,) squared length of each row."""

    @classmethod
    def build(cls, rows: Rows, seed: int = 0) -> InvertedFile:
        """Group rows by k-means on a sample; few rows are left in one list."""
        rows = np.ascontiguousarray(rows, np.float32)
        count, dimensions = rows.shape
        if count <= UNLISTED:
            starts = np.array([0, count], np.int64)
            centre = np.zeros((1, dimensions), np.float32)
            return cls(rows, np.arange(count), starts, centre, _squares(rows))
        lists = round(4 * np.sqrt(count))
        centroids = _k_means(rows, lists, np.random.default_rng(seed))
        nearest = _nearest(rows, centroids)
        order = np.argsort(nearest, kind="stable")
        starts = np.searchsorted(nearest[order], np.arange(lists + 1))
        rows = rows[order]
        return cls(rows, order.astype(np.int64), starts.astype(np.int64), centroids, _squares(rows))

    def __len__(self) -> int:
        return len(self.numbers)

    def search(
        self, query: Rows, count: int, probed: float | None = None
    ) -> tuple[Numbers, NDArray[np.float32]]:
        """Find the rows nearest to a query (dimensions,).

        Args:
            query: The query.
            count: Rows to return at most.
            probed: Share of the lists that are looked into; 1 compares all rows. If None, `PROBED`, or as
                many as hold about `EXHAUSTIVE` rows.

        Returns:
            Numbers of the rows, nearest first, and their squared distances.
        """
        query = np.asarray(query, np.float32)
        lists = len(self.centroids)
        if probed is None:
            probed = max(PROBED, EXHAUSTIVE / max(1, len(self)))
        looked = max(1, round(lists * probed))
        if looked >= lists:
            spans = [(0, len(self.rows))]
        else:
            far = np.square(self.centroids).sum(axis=1) - 2 * (self.centroids @ query)
            chosen = np.sort(np.argpartition(far, looked)[:looked])
            spans = [(int(self.starts[one]), int(self.starts[one + 1])) for one in chosen]
        distances, ends = self._distances(query, spans)
        best = _smallest(distances, count)
        span = np.searchsorted(ends, best, side="right")
        at = best + np.array([end for _, end in spans])[span] - ends[span]
        return np.asarray(self.numbers[at]), distances[best] + query @ query

    def _distances(self, query: Rows, spans: list[tuple[int, int]]) -> tuple[NDArray[np.float32], Numbers]:
        """|r|² − 2 r·q of the rows of some spans, and where those of each span end.

        The query's own length changes no order. Hundreds of spans are read in turn, so each costs one product
        into an array that is there already: half the time of joining arrays.
        """
        ends = np.cumsum([end - start for start, end in spans], dtype=np.int64)
        distances, squares = np.empty((2, int(ends[-1])), np.float32)
        rows, lengths = np.asarray(self.rows), np.asarray(self.squares)  # slices of maps are slow
        for (start, end), last in zip(spans, ends.tolist(), strict=True):
            here = slice(last - (end - start), last)
            np.dot(rows[start:end], query, out=distances[here])
            squares[here] = lengths[start:end]
        distances *= -2
        distances += squares
        return distances, ends

    def save(self, folder: Path) -> None:
        """Write the arrays; the folder's reader maps them and reads only what a query needs."""
        for name in ("rows", "numbers", "starts", "centroids", "squares"):
            content = io.BytesIO()
            np.save(content, getattr(self, name), allow_pickle=False)
            write_bytes(folder / f"{name}.npy", content.getvalue())

    @classmethod
    def load(cls, folder: Path) -> InvertedFile:
        """Map what `save` wrote.

        Raises:
            LoadError: A file is missing or damaged.
        """
        read: Callable[[str], Any] = lambda name: map_npy(folder / f"{name}.npy")  # noqa: E731
        small = np.array(read("starts")), np.array(read("centroids"))
        return cls(read("rows"), read("numbers"), *small, read("squares"))


def _squares(rows: Rows) -> NDArray[np.float32]:
    return np.asarray(np.einsum("rd,rd->r", rows, rows), np.float32)


def _smallest(values: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    count = min(count, len(values))
    best = np.argpartition(values, count - 1)[:count] if count else np.zeros(0, np.intp)
    return np.asarray(best[np.lexsort((best, values[best]))])


def _k_means(rows: Rows, lists: int, rng: np.random.Generator) -> Rows:
    """Lloyd's algorithm on a sample; a centroid that loses its rows is set to a random row."""
    size = min(len(rows), lists * _SAMPLES_A_LIST)
    sample = rows[np.sort(rng.choice(len(rows), size, replace=False))]
    centroids = sample[rng.choice(size, lists, replace=False)].copy()
    for _ in range(_ITERATIONS):
        nearest = _nearest(sample, centroids)
        counts = np.bincount(nearest, minlength=lists)
        sums = np.stack([np.bincount(nearest, column, lists) for column in sample.T], axis=1)
        empty = counts == 0
        means = np.asarray(sums / np.maximum(counts, 1)[:, None], np.float32)
        centroids = np.where(empty[:, None], centroids, means)
        centroids[empty] = sample[rng.choice(size, int(empty.sum()))]
    return np.asarray(centroids, np.float32)


def _nearest(rows: Rows, centroids: Rows) -> NDArray[np.intp]:
    """(rows,) the nearest centroid of each by Euclidean distance."""
    half, across = np.square(centroids).sum(axis=1) / 2, np.ascontiguousarray(centroids.T)
    size = max(1, _CELLS // len(centroids))
    products = np.empty((size, len(centroids)), np.float32)
    nearest = np.empty(len(rows), np.intp)
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        near = np.matmul(part, across, out=products[: len(part)])
        near -= half
        near.argmax(axis=1, out=nearest[start : start + size])
    return nearest
