"""Words gathered by who wrote them on which day."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]


class Sessions(NamedTuple):
    """Means of sessions and of writers, and which belongs to which."""

    means: Floats
    """(sessions, dims)"""
    of_word: Numbers
    """(words,) in which session each was written."""
    words: Numbers
    """(sessions,) how many."""
    writers: Floats
    """(writers, dims), every session counting alike."""
    writer: Numbers
    """(sessions,) whose each is."""
    days: Numbers
    """(writers,) sessions of each."""

    @property
    def repeated(self) -> NDArray[np.bool_]:
        """(sessions,) whether their writer has others."""
        return np.asarray(self.days[self.writer] > 1)

    @property
    def freedom(self) -> int:
        """Of the sessions about their writers' means."""
        return max(1, int(self.repeated.sum() - (self.days > 1).sum()))


def sessions_of(
    vectors: NDArray[np.floating], writer: NDArray[np.str_], session: NDArray[np.int64]
) -> Sessions:
    """Gather (words, dims)."""
    names = np.char.add(np.char.add(writer, "/"), session.astype(str))
    _, first, of_word, words = np.unique(names, return_index=True, return_inverse=True, return_counts=True)
    _, owner, days = np.unique(writer[first], return_inverse=True, return_counts=True)
    means = _means(vectors, of_word, words)
    return Sessions(means, of_word, words, _means(means, owner, days), owner, days)


def _means(rows: NDArray[np.floating], group: Numbers, counts: Numbers) -> Floats:
    sums = np.zeros((counts.size, rows.shape[1]))
    np.add.at(sums, group, rows)
    return np.asarray(sums / counts[:, None])
