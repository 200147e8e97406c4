"""Pairs of pages for verification: one writer in two sessions, or two writers, with different texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.pages import PageRows, Rows


@dataclass(frozen=True, slots=True)
class PagePairs:
    """Which two pages, and whether one writer wrote both."""

    pages: Sequence[PageRows]
    at: NDArray[np.int64]
    """(pairs, 2) numbers of pages."""
    same: NDArray[np.bool_]

    @property
    def writers(self) -> NDArray[np.str_]:
        """(pairs, 2), who wrote which."""
        names = np.array([page.writer for page in self.pages])
        return np.asarray(names[self.at])

    def at_least(self, words: int) -> PagePairs:
        """Pairs of two pages of so many words; all pairs where none by one writer is left."""
        size = np.array([page.rows.size for page in self.pages])
        long = (size[self.at] >= words).all(axis=1)
        if not (long & self.same).any():
            return self
        return PagePairs(self.pages, self.at[long], self.same[long])

    def drawn(self, same: int, different: int, rng: np.random.Generator) -> PagePairs:
        """Sample at most so many pairs of each kind, without replacement, uniformly over writers."""
        writers = np.sort(self.writers, axis=1)
        chosen = [
            _spread(np.flatnonzero(self.same == kind), writers, count, rng)
            for kind, count in ((True, same), (False, different))
        ]
        rows = np.concatenate(chosen)
        return PagePairs(self.pages, self.at[rows], self.same[rows])

    def word_rows(self, words: int | None, rng: np.random.Generator) -> list[tuple[Rows, Rows]]:
        """Rows of both sides of each pair: whole pages, or `words` consecutive ones of each."""
        return [
            (_run(self.pages[one].rows, words, rng), _run(self.pages[two].rows, words, rng))
            for one, two in self.at
        ]


def page_pairs(pages: Sequence[PageRows]) -> PagePairs:
    """Every pair of pages of one database with different prompts; of one writer, from different sessions.

    Pages of one prompt share words, and pages of one session share pen and scan: either would be confounded
    with the hand, and so would the scanner of a database. Where a database has only one prompt or session,
    that rule is dropped.
    """
    names = np.array([page.database for page in pages])
    parts = [_pairs_among(np.flatnonzero(names == name), pages) for name in np.unique(names)]
    at = np.concatenate([np.empty((0, 2), np.int64), *(part for part, _ in parts)])
    return PagePairs(pages, at, np.concatenate([np.empty(0, bool), *(same for _, same in parts)]))


def _pairs_among(
    numbers: NDArray[np.intp], pages: Sequence[PageRows]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """(pairs, 2) numbers of pages of one database, and whether one writer wrote both."""
    own = [pages[number] for number in numbers]
    writer = np.array([page.writer for page in own])
    session = np.array([page.session for page in own])
    prompt = np.array([page.prompt for page in own])
    one, two = np.triu_indices(len(own), 1)
    same = writer[one] == writer[two]
    other_text = prompt[one] != prompt[two]
    if not (same & other_text).any():
        other_text[:] = True
    other_day = session[one] != session[two]
    if not (same & other_text & other_day).any():
        other_day[:] = True
    key = np.array([page.key or str(page.rows[0]) for page in own])  # a form may occur as scan and as lines
    keep = other_text & (other_day | ~same) & (key[one] != key[two])
    return np.stack([numbers[one], numbers[two]], axis=1)[keep].astype(np.int64), same[keep]


def _spread(
    rows: NDArray[np.intp], writers: NDArray[np.str_], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Sample pairs with probability inverse to their writers' number of pairs."""
    if rows.size <= count:
        return rows
    _, who, often = np.unique(writers[rows], axis=0, return_inverse=True, return_counts=True)
    weight = 1.0 / often[who.reshape(-1)]
    return rng.choice(rows, count, replace=False, p=weight / weight.sum())


def _run(rows: Rows, words: int | None, rng: np.random.Generator) -> Rows:
    if words is None or rows.size <= words:
        return rows
    start = int(rng.integers(rows.size - words + 1))
    return rows[start : start + words]
