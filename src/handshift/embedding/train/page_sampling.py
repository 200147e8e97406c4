"""Batches over several databases: writers, two of their pages, some words of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection

Rows = NDArray[np.int64]
_LONG = 64
"""Inked columns beyond which a longer word is not preferred any more."""


@dataclass(frozen=True)
class Sheets:
    """The pages of one writer: rows of the words of each, and the session each was written in."""

    rows: tuple[Rows, ...]
    session: NDArray[np.int64]

    @classmethod
    def of(cls, words: WordCollection, rows: Rows, least: int) -> Sheets:
        """Pages of fewer than `least` words are taken together by session, such as single word pictures."""
        pages: dict[tuple[int, str], list[int]] = {}
        count = dict(zip(*np.unique(words.page[rows], return_counts=True), strict=True))
        for row in rows:
            session = int(words.session[row])
            name = str(words.page[row]) if count[words.page[row]] >= least else ""
            pages.setdefault((session, name), []).append(int(row))
        return cls(
            tuple(np.array(own, np.int64) for own in pages.values()),
            np.array([session for session, _ in pages], np.int64),
        )


@dataclass(frozen=True)
class Drawn:
    """One batch: words of one page stand together."""

    database: NDArray[np.int64]
    """(words,) number of the database."""
    writer: Rows
    """(words,) class over all databases."""
    row: Rows
    """(words,) row within the database's collection."""
    page: Rows
    """(words,) number of the page within the batch."""


class PageSampler:
    """Draws databases by weight, writers uniformly, then two pages, of different sessions where possible.

    Args:
        sheets: For each database, the pages of each writer.
        weights: How often a writer of each database is drawn.
        batch: Words a batch.
        words_each: Words of each page.
        lengths: Inked columns of every word, for each database: of two words the longer is drawn more often.
    """

    pages_each = 2

    def __init__(
        self,
        sheets: Sequence[Sequence[Sheets]],
        weights: Sequence[float],
        batch: int,
        words_each: int,
        lengths: Sequence[NDArray[np.int64]],
    ) -> None:
        if batch % (self.pages_each * words_each):
            raise HandshiftError(
                f"--batch {batch} is not a multiple of two pages of {words_each} words; change --words-each"
            )
        self._sheets, self._lengths = sheets, [np.minimum(length, _LONG) + 1 for length in lengths]
        self._weights = np.asarray(weights, float) / np.sum(weights)
        self._writers, self._each = batch // (self.pages_each * words_each), words_each
        self._first = np.concatenate([[0], np.cumsum([len(own) for own in sheets])])

    def draw(self, rng: np.random.Generator) -> Drawn:
        """One batch from the generator alone."""
        chosen = rng.choice(len(self._sheets), self._writers, p=self._weights)
        rows: list[Rows] = []
        classes = []
        for database in chosen:
            writer = int(rng.integers(len(self._sheets[database])))
            classes.append(self._first[database] + writer)
            pages = self._two_pages(self._sheets[database][writer], rng)
            rows += [self._words(page, self._lengths[database], rng) for page in pages]
        each = self.pages_each * self._each
        page = np.repeat(np.arange(len(rows)), self._each)
        return Drawn(np.repeat(chosen, each), np.repeat(classes, each), np.concatenate(rows), page)

    def _two_pages(self, sheets: Sheets, rng: np.random.Generator) -> tuple[Rows, Rows]:
        first = int(rng.integers(len(sheets.rows)))
        others = np.flatnonzero(sheets.session != sheets.session[first])
        if not others.size:
            others = np.flatnonzero(np.arange(len(sheets.rows)) != first)
        return sheets.rows[first], sheets.rows[int(rng.choice(others)) if others.size else first]

    def _words(self, page: Rows, lengths: NDArray[np.int64], rng: np.random.Generator) -> Rows:
        """Different words where there are enough, the longer of two with a chance by its length."""
        count = min(2 * self._each, len(page))
        pool = rng.choice(page, count, replace=False)
        if count < self._each:
            return np.resize(pool, self._each)
        share = lengths[pool] / lengths[pool].sum()
        return rng.choice(pool, self._each, replace=False, p=share)


def training_sheets(words: WordCollection, writers: Sequence[str], least: int) -> dict[str, Sheets]:
    """The pages of the writers that have words at all, in the writers' order."""
    order = np.argsort(words.writer, kind="stable")
    names, starts = np.unique(words.writer[order], return_index=True)
    rows = dict(zip(names.tolist(), np.split(order, starts[1:]), strict=True))
    return {writer: Sheets.of(words, rows[writer], least) for writer in writers if writer in rows}


def weights_of(databases: Mapping[str, float]) -> tuple[list[str], list[float]]:
    """Names and weights of the databases that are trained on."""
    used = {name: weight for name, weight in databases.items() if weight > 0}
    return list(used), list(used.values())
