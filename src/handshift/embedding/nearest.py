"""Finding the rows nearest to a query among very many: exactly, or by faiss."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError

_FLAT_UP_TO = 20_000
"""Rows that faiss still compares one by one; beyond, it walks a graph."""
_LINKS = 32


class Search(StrEnum):
    """How a gallery is searched."""

    EXACT = "exact"
    """Everyone is compared."""
    FAISS = "faiss"
    """The nearest by angle are found first, and only they are compared; needs the `search` extra."""


class FaissIndex:
    """Rows by angle; (rows, dimensions), any length."""

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
        self._index.add(_unit(rows))

    def nearest(self, query: NDArray[np.floating], count: int) -> NDArray[np.int64]:
        """Row numbers, nearest first; (dimensions,) → (at most count,)."""
        found = self._index.search(_unit(query[None]), min(count, self._index.ntotal))[1][0]
        return np.asarray(found[found >= 0], np.int64)


def _unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows / np.maximum(length, 1e-12), np.float32)
