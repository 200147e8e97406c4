"""Which words make a batch: so that neither a busy writer nor a busy day stands for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.train.pseudo_writers import KINDRED

Rows = NDArray[np.int64]
Strata = Sequence[Sequence[Rows]]
"""For each writer, for each session, the rows of its words."""


@dataclass(frozen=True)
class Drawn:
    """Words of one batch, each (batch,)."""

    writers: Rows
    rows: Rows
    kin: Rows
    """Which kindred hand is made of it; 0 is the hand itself."""


class Sampler(Protocol):
    """Chooses the words of a batch from the generator alone."""

    def draw(self, rng: np.random.Generator) -> Drawn:
        """One batch."""


def by_writer_and_session(words: WordCollection, writers: Sequence[str]) -> list[list[Rows]]:
    """The strata of the writers that have words at all."""
    strata = []
    for writer in writers:
        rows = words.rows_of([writer])
        if rows.size:
            strata.append([rows[words.session[rows] == s] for s in np.unique(words.session[rows])])
    if len(strata) < 2:
        raise HandshiftError(f"training needs two writers with words, and has {len(strata)}; check the split")
    return strata


class RootSampler:
    """Writers by the root of their word count, then sessions alike, then any word.

    Sessions alike, because a writer's busiest day would otherwise stand for the writer. With `lengths` a
    word is drawn against another, in proportion to their lengths: the longer says more of its writer.
    """

    def __init__(
        self, strata: Strata, batch: int, kindred: float, lengths: NDArray[np.float32] | None = None
    ) -> None:
        self._strata, self._batch, self._kindred, self._lengths = strata, batch, kindred, lengths
        weight = np.array([sum(map(len, sessions)) ** 0.5 for sessions in strata])
        self._weight = weight / weight.sum()

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Each word by itself."""
        writers = rng.choice(len(self._strata), self._batch, p=self._weight)
        rows = [self._word_of(self._strata[writer], rng) for writer in writers]
        return Drawn(writers, np.array(rows), _kin(rng, self._batch, self._kindred))

    def _word_of(self, sessions: Sequence[Rows], rng: np.random.Generator) -> np.int64:
        rows = sessions[int(rng.integers(len(sessions)))]
        if self._lengths is None:
            return rng.choice(rows)
        one, other = rng.choice(rows, 2)
        length, against = self._lengths[one], self._lengths[other]
        return one if rng.random() * (length + against) < length else other


class WordSampler:
    """Every word alike, whoever wrote it: what shuffling does."""

    def __init__(self, strata: Strata, batch: int, kindred: float) -> None:
        self._batch, self._kindred = batch, kindred
        each = [np.concatenate(sessions) for sessions in strata]
        self._rows = np.concatenate(each)
        self._writers = np.repeat(np.arange(len(each)), [len(rows) for rows in each])

    def draw(self, rng: np.random.Generator) -> Drawn:
        """With repetition."""
        chosen = rng.integers(self._rows.size, size=self._batch)
        return Drawn(self._writers[chosen], self._rows[chosen], _kin(rng, self._batch, self._kindred))


class BalancedSampler:
    """P writers, alike, with K words each, dealt over their sessions in turn.

    So every word has a partner by its own writer, from another session where there is one: what a loss on
    pairs needs. The K words become the same kindred hand, or none of them does.
    """

    def __init__(self, strata: Strata, batch: int, words_each: int, kindred: float) -> None:
        if words_each < 2 or batch < 2 * words_each:
            raise HandshiftError(
                f"a balanced batch needs at least two writers with two words each, and {batch} words with "
                f"{words_each} of each writer were given; raise --batch or lower --words-each"
            )
        self._strata, self._each, self._kindred = strata, words_each, kindred
        self._writers = batch // words_each

    def draw(self, rng: np.random.Generator) -> Drawn:
        """Writers are drawn without repetition where there are enough."""
        count = len(self._strata)
        writers = rng.choice(count, self._writers, replace=self._writers > count)
        rows = [self._words_of(self._strata[writer], rng) for writer in writers]
        kin = _kin(rng, self._writers, self._kindred)
        return Drawn(np.repeat(writers, self._each), np.concatenate(rows), np.repeat(kin, self._each))

    def _words_of(self, sessions: Sequence[Rows], rng: np.random.Generator) -> Rows:
        turns = rng.permutation(len(sessions))
        return np.array([rng.choice(sessions[turns[k % len(turns)]]) for k in range(self._each)])


def _kin(rng: np.random.Generator, count: int, share: float) -> Rows:
    return np.where(rng.random(count) < share, rng.integers(1, len(KINDRED), count), 0)
