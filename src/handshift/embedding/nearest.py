"""Nearest-neighbour search among many rows: exhaustive, or by faiss."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.embedder import unit_rows

_FLAT_UP_TO = 20_000
"""Rows up to which faiss searches exhaustively; beyond, by an HNSW graph."""
_LINKS = 32


class Search(StrEnum):
    """How a gallery is searched."""

    EXACT = "exact"
    """All rows are compared."""
    FAISS = "faiss"
    """The nearest by angle are searched first and only they are compared; needs the `search` extra."""


class FaissIndex:
    """Index of rows by angle.

    Args:
        rows: (rows, dimensions), of any lengths.

    Raises:
        HandshiftError: faiss is not installed.
    """

    def __init__(self, rows: NDArray[np.floating]) -> None:
        try:
            import faiss
        except ModuleNotFoundError as error:
            advice = "pip install 'handshift[search]'"
            raise HandshiftError(
                f"searching by faiss needs faiss, which is not installed: {advice}"
            ) from error
        dimensions = rows.shape[1]
        if len(rows) <= _FLAT_UP_TO:
            self._index: Any = faiss.IndexFlatIP(dimensions)
        else:
            self._index = faiss.IndexHNSWFlat(dimensions, _LINKS, faiss.METRIC_INNER_PRODUCT)
        self._index.add(_contiguous_unit_rows(rows))

    def nearest(self, query: NDArray[np.floating], count: int) -> NDArray[np.int64]:
        """Find the nearest rows of a query (dimensions,); row numbers, nearest first, at most `count`."""
        found = self._index.search(_contiguous_unit_rows(query[None]), min(count, self._index.ntotal))[1][0]
        return np.asarray(found[found >= 0], np.int64)


def _contiguous_unit_rows(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.ascontiguousarray(unit_rows(rows), np.float32)
