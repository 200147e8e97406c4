"""How well vectors tell the held-out writers of each database apart, by words and by pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.metrics import auroc

Vectors = NDArray[np.float32]
_WRITERS, _PAGES, _WORDS = 60, 3, 8


@dataclass(frozen=True)
class HeldOut:
    """Words of held-out writers of one database: up to 60 writers, three pages each, eight words a page.

    A pair of words is by one writer or two, never of one page, and one writer's pairs are of two sessions
    where the writer has several.
    """

    crops: NDArray[np.uint8]
    writer: NDArray[np.str_]
    page: NDArray[np.str_]
    session: NDArray[np.int64]

    @classmethod
    def of(cls, words: WordCollection, writers: Sequence[str], seed: int = 1) -> HeldOut:
        """Choose the words.

        Args:
            words: The database's words.
            writers: Held-out writers; those with words on one page alone serve as impostors.
            seed: Of the choice.

        Returns:
            The same words for every network that is examined.

        Raises:
            HandshiftError: There is no pair by one writer, or none by two.
        """
        rng = np.random.default_rng(seed)
        order = [writers[at] for at in rng.permutation(len(writers))]
        order.sort(key=lambda writer: -min(2, np.unique(words.page[words.rows_of([writer])]).size))
        chosen = [_rows(words, writer, rng) for writer in order[:_WRITERS]]
        rows = np.sort(np.concatenate([np.zeros(0, np.int64), *chosen]))
        held_out = cls(words.crops[rows], words.writer[rows], words.page[rows], words.session[rows])
        same = held_out.pairs()[2]
        if not same.any() or same.all():
            raise HandshiftError(
                "held-out writers do not suffice: two are needed, one of them with two pages"
            )
        return held_out

    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
        """(pairs,) rows of the first and of the second word, and whether one writer wrote both."""
        return _pairs(self.writer, self.page, self.session)

    def figures(self, vectors: Vectors) -> dict[str, float]:
        """AUC of word pairs, and of page pairs where pages have several words.

        Args:
            vectors: (words, dimensions) of `crops`, unit rows.

        Returns:
            `words`, and `pages`: AUC of cosines, chance 0.5.
        """
        one, two, same = self.pairs()
        figures = {"words": auroc(same, np.einsum("pd,pd->p", vectors[one], vectors[two]))}
        names, first, inverse = np.unique(self.page, return_index=True, return_inverse=True)
        if len(names) < 0.7 * len(self.page):
            sums = np.stack([np.bincount(inverse, column) for column in vectors.T], axis=1)
            means = sums / np.linalg.norm(sums, axis=1, keepdims=True)
            one, two, same = _pairs(self.writer[first], names, self.session[first])
            figures["pages"] = auroc(same, np.einsum("pd,pd->p", means[one], means[two]))
        return figures


def examined(
    held_out: Mapping[str, HeldOut], embed: Callable[[NDArray[np.uint8]], Vectors]
) -> dict[str, float]:
    """Figures of every database, and `auc`, the mean over databases of word-pair AUC.

    Args:
        held_out: By name of the database.
        embed: (words, 64, 240) → (words, dimensions), unit rows.

    Returns:
        `auc`, then `words_<database>` and `pages_<database>`.
    """
    figures = {
        f"{kind}_{name}": value
        for name, words in held_out.items()
        for kind, value in words.figures(embed(words.crops)).items()
    }
    means = [value for name, value in figures.items() if name.startswith("words_")]
    return {"auc": float(np.mean(means)), **figures}


def _rows(words: WordCollection, writer: str, rng: np.random.Generator) -> NDArray[np.int64]:
    rows = words.rows_of([writer])
    pages = np.unique(words.page[rows])
    alone = pages.size > 0.7 * rows.size
    chosen = rng.permutation(pages)[: _PAGES * (_WORDS if alone else 1)]
    if not alone and np.unique(words.session[rows]).size > 1:
        chosen = _of_several_sessions(words, rows, rng)
    parts = [rng.permutation(rows[words.page[rows] == page])[:_WORDS] for page in chosen]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _of_several_sessions(
    words: WordCollection, rows: NDArray[np.int64], rng: np.random.Generator
) -> NDArray[np.str_]:
    sessions = rng.permutation(np.unique(words.session[rows]))[:_PAGES]
    return np.array([rng.choice(np.unique(words.page[rows[words.session[rows] == s]])) for s in sessions])


def _pairs(
    writer: NDArray[np.str_], page: NDArray[np.str_], session: NDArray[np.int64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.bool_]]:
    one, two = np.triu_indices(len(writer), 1)
    same = writer[one] == writer[two]
    several = {name for name in np.unique(writer) if np.unique(session[writer == name]).size > 1}
    apart = np.isin(writer[one], list(several)) & (session[one] == session[two])
    usable = (page[one] != page[two]) & ~(same & apart)
    return one[usable], two[usable], same[usable]
