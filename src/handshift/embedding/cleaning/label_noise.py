"""Synthetic label noise, to measure whether cleaning finds it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection


def exchange_labels(
    words: WordCollection, rows: NDArray[np.int64], share: float, seed: int
) -> tuple[WordCollection, NDArray[np.bool_]]:
    """Give a share of the rows the labels of other writers.

    The chosen words exchange their writers and sessions, so that every writer and session keeps its number
    of words and the noise rate is about the same everywhere.

    Args:
        words: The collection.
        rows: Rows that may be chosen.
        share: Noise rate, 0…1.
        seed: Of the choice.

    Returns:
        The collection with wrong labels, and (words,) of bool: which are wrong.

    Raises:
        HandshiftError: More than half of the chosen words are by one writer.
    """
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(rows)[: round(share * rows.size)]
    source = _derangement(words.writer[chosen], rng)
    writer, session, wrong = words.writer.copy(), words.session.copy(), np.zeros(len(words.writer), bool)
    writer[chosen], session[chosen] = words.writer[chosen[source]], words.session[chosen[source]]
    wrong[chosen] = True
    return replace(words, writer=writer, session=session), wrong


def _derangement(writers: NDArray[np.str_], rng: np.random.Generator) -> NDArray[np.int64]:
    """A permutation that gives no word its own writer."""
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
