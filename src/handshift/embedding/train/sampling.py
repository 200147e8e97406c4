"""Batch samplers that balance writers and sessions.

>>> import numpy as np
>>> from handshift.embedding.train.sampling import BalancedSampler
>>> strata = [[np.arange(0, 5), np.arange(5, 9)], [np.arange(9, 20)]]  # writers → sessions → rows
>>> BalancedSampler(strata, batch=4, words_each=2, pseudo_share=0.0).draw(np.random.default_rng(0)).rows.shape
(4,)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.train.pseudo_writers import draw_pseudo_writers

Rows = NDArray[np.int64]
Strata = Sequence[Sequence[Rows]]
"""For each writer, for each session, the rows of its words."""


@dataclass(frozen=True)
class BatchRows:
    """Words of one batch, each (batch,)."""

    writers: Rows
    rows: Rows
    pseudo_writer: Rows
    """Number of the pseudo-writer each word is transformed into; 0 is the writer unchanged."""


class Sampler(Protocol):
    """Draws the words of a batch, with the generator as the only state."""

    def draw(self, rng: np.random.Generator) -> BatchRows:
        """Draw one batch."""


def by_writer_and_session(words: WordCollection, writers: Sequence[str]) -> list[list[Rows]]:
    """Group rows by writer and session, for the writers that have words.

    Raises:
        HandshiftError: Fewer than two writers have words.
    """
    strata = []
    for writer in writers:
        rows = words.rows_of([writer])
        if rows.size:
            strata.append([rows[words.session[rows] == s] for s in np.unique(words.session[rows])])
    if len(strata) < 2:
        raise HandshiftError(
            f"training needs two writers with words, and {len(strata)} were found; check the split"
        )
    return strata


class RootSampler:
    """Writers with probability ∝ √(word count), then uniform over sessions, then uniform over words.

    Uniform over sessions, because a writer's largest session would otherwise dominate. With `lengths` each
    word is chosen out of two with probability ∝ length: longer words carry more information on the writer.
    """

    def __init__(
        self, strata: Strata, batch: int, pseudo_share: float, lengths: NDArray[np.float32] | None = None
    ) -> None:
        self._strata, self._batch, self._pseudo_share, self._lengths = strata, batch, pseudo_share, lengths
        weight = np.array([sum(map(len, sessions)) ** 0.5 for sessions in strata])
        self._weight = weight / weight.sum()

    def draw(self, rng: np.random.Generator) -> BatchRows:
        """Draw each word independently."""
        writers = rng.choice(len(self._strata), self._batch, p=self._weight)
        rows = [self._word_of(self._strata[writer], rng) for writer in writers]
        return BatchRows(writers, np.array(rows), draw_pseudo_writers(rng, self._batch, self._pseudo_share))

    def _word_of(self, sessions: Sequence[Rows], rng: np.random.Generator) -> np.int64:
        rows = sessions[int(rng.integers(len(sessions)))]
        if self._lengths is None:
            return rng.choice(rows)
        one, other = rng.choice(rows, 2)
        length, against = self._lengths[one], self._lengths[other]
        return one if rng.random() * (length + against) < length else other


class WordSampler:
    """Uniform over words, whoever wrote them."""

    def __init__(self, strata: Strata, batch: int, pseudo_share: float) -> None:
        self._batch, self._pseudo_share = batch, pseudo_share
        each = [np.concatenate(sessions) for sessions in strata]
        self._rows = np.concatenate(each)
        self._writers = np.repeat(np.arange(len(each)), [len(rows) for rows in each])

    def draw(self, rng: np.random.Generator) -> BatchRows:
        """Draw with replacement."""
        chosen = rng.integers(self._rows.size, size=self._batch)
        pseudo = draw_pseudo_writers(rng, self._batch, self._pseudo_share)
        return BatchRows(self._writers[chosen], self._rows[chosen], pseudo)


class BalancedSampler:
    """P writers, uniform, with K words each, taken from their sessions in turn.

    Every word has a positive by its own writer, from another session where there is one, as pair losses
    need. The K words of a writer all become the same pseudo-writer, or none does.
    """

    def __init__(self, strata: Strata, batch: int, words_each: int, pseudo_share: float) -> None:
        if words_each < 2 or batch < 2 * words_each:
            raise HandshiftError(
                f"a balanced batch needs at least two writers with two words each, and {batch} words with "
                f"{words_each} of each writer were given; raise --batch or lower --words-each"
            )
        self._strata, self._each, self._pseudo_share = strata, words_each, pseudo_share
        self._writers = batch // words_each

    def draw(self, rng: np.random.Generator) -> BatchRows:
        """Draw writers without replacement where there are enough."""
        count = len(self._strata)
        writers = rng.choice(count, self._writers, replace=self._writers > count)
        rows = [self._words_of(self._strata[writer], rng) for writer in writers]
        pseudo = draw_pseudo_writers(rng, self._writers, self._pseudo_share)
        return BatchRows(np.repeat(writers, self._each), np.concatenate(rows), np.repeat(pseudo, self._each))

    def _words_of(self, sessions: Sequence[Rows], rng: np.random.Generator) -> Rows:
        order = rng.permutation(len(sessions))
        return np.array([rng.choice(sessions[order[k % len(order)]]) for k in range(self._each)])
