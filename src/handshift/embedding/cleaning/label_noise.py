"""Labels made wrong on purpose, to see whether cleaning finds them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection


def flipped(
    words: WordCollection, rows: NDArray[np.int64], share: float, seed: int
) -> tuple[WordCollection, NDArray[np.bool_]]:
    """File a share of the rows under other writers; the collection, and (words,) which are wrong.

    The chosen words exchange their writers and sessions, so that every writer and every day keeps its number
    of words and the share of wrong ones is about the same everywhere.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(rows)[: round(share * rows.size)]
    given = _exchanged(words.writer[chosen], rng)
    writer, session, wrong = words.writer.copy(), words.session.copy(), np.zeros(len(words.writer), bool)
    writer[chosen], session[chosen] = words.writer[chosen[given]], words.session[chosen[given]]
    wrong[chosen] = True
    return replace(words, writer=writer, session=session), wrong


def _exchanged(writers: NDArray[np.str_], rng: np.random.Generator) -> NDArray[np.int64]:
    """An order in which nobody stands in their own place."""
    count = len(writers)
    if count and 2 * np.unique(writers, return_counts=True)[1].max() > count:
        raise HandshiftError(
            "labels cannot be exchanged: more than half of the chosen words are by one writer"
        )
    order = rng.permutation(count)
    while (same := np.flatnonzero(writers[order] == writers)).size:
        other = rng.integers(count, size=same.size)
        for one, two in zip(same, other, strict=True):
            order[one], order[two] = order[two], order[one]
    return order
