"""Rescales the training writers' variances to those of held-out writers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.plda import sessions_of
from handshift.embedding.word_vectors import WordVectors

_LEAST = 1e-9


class Levels(NamedTuple):
    """Unit rows decomposed: mean + writer + session + word."""

    mean: Floats
    """(dims,)"""
    terms: tuple[Floats, Floats, Floats]
    """Writer, session and word, each (words, dims)."""
    variances: Floats
    """(3,) of the terms, summed over dimensions."""


def rescale_to_held_out(
    table: WordVectors, known: Sequence[str], others: Sequence[str]
) -> NDArray[np.float32]:
    """All vectors (words, dims), those of the training writers rescaled to held-out variances.

    The word network separates its training writers better than others, so bags of them are too easy. Each
    term of their unit rows is multiplied by √(held-out variance / training variance), and the row scaled back
    to its length. Three numbers are all that is taken from the held-out writers.

    Args:
        table: vectors with writers and sessions.
        known: writers that the word network was trained on.
        others: held-out writers.
    """
    rows = np.flatnonzero(np.isin(table.writer, list(known)))
    own, model = levels(table, rows), levels(table, np.flatnonzero(np.isin(table.writer, list(others))))
    factors = np.sqrt(model.variances / own.variances)
    spread = own.mean + sum(factor * term for factor, term in zip(factors, own.terms, strict=True))
    vectors = np.array(table.vectors, np.float32)
    length = np.linalg.norm(vectors[rows], axis=1, keepdims=True)
    vectors[rows] = spread * length / np.maximum(np.linalg.norm(spread, axis=1, keepdims=True), _LEAST)
    return vectors


def levels(table: WordVectors, rows: NDArray[np.intp]) -> Levels:
    """Decompose the words of these rows; the sampling noise of session means is subtracted."""
    words = np.asarray(table.vectors[rows], np.float64)
    words = words / np.maximum(np.linalg.norm(words, axis=1, keepdims=True), _LEAST)
    found = sessions_of(words, table.writer[rows], table.session[rows])
    mean, day = found.writers.mean(axis=0), found.of_word
    writer = found.writers[found.writer[day]]
    terms = writer - mean, found.means[day] - writer, words - found.means[day]
    of_words = np.square(terms[2]).sum() / max(1, len(words) - found.words.size)
    several = found.repeated
    apart = np.square(found.means - found.writers[found.writer])[several].sum() / found.freedom
    of_sessions = apart - of_words * (1 / found.words[several]).mean() if several.any() else 0.0
    of_writers = np.square(found.writers - mean).sum() / max(1, len(found.writers) - 1)
    return Levels(mean, terms, np.maximum([of_writers, of_sessions, of_words], _LEAST))
