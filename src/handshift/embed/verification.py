"""Are two words by one hand? Pairs to ask it of, and how well it is answered."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.embed.collection import WordCollection
from handshift.metrics import auroc, eer


@dataclass(frozen=True)
class Pairs:
    """Word pairs and whether one writer wrote both."""

    rows: NDArray[np.int64]
    """(pairs, 2) rows of the collection."""
    same: NDArray[np.bool_]


def balanced_pairs(words: WordCollection, writers: Iterable[str], count: int, seed: int) -> Pairs:
    """Half same writer, half not, every writer alike, never from one page.

    Same-writer pairs come from different sessions where the writer has them: within one page or day the
    pen and the scan would stand in for the hand.
    """
    rng = np.random.default_rng(seed)
    rows_of = {writer: words.rows_of([writer]) for writer in writers}
    rows_of = {writer: rows for writer, rows in rows_of.items() if rows.size}
    several = [w for w, rows in rows_of.items() if np.unique(words.page[rows]).size > 1]
    if not several or len(rows_of) < 2:
        raise ValueError("verification needs two writers, one of them with two pages")
    names = list(rows_of)
    pairs = []
    for index in range(count):
        if index % 2 == 0:
            rows = rows_of[several[rng.integers(len(several))]]
            first = rng.choice(rows)
            other = rows[words.session[rows] != words.session[first]]
            if other.size == 0:
                other = rows[words.page[rows] != words.page[first]]
            pairs.append((first, rng.choice(other)))
        else:
            one, two = rng.choice(len(names), 2, replace=False)
            pairs.append((rng.choice(rows_of[names[one]]), rng.choice(rows_of[names[two]])))
    return Pairs(np.array(pairs, np.int64), np.arange(count) % 2 == 0)


def verification_figures(scores: NDArray[np.floating], same: NDArray[np.bool_]) -> dict[str, float]:
    """AUC (chance 0.5) and equal error rate of scores that are high for one hand."""
    return {"auc": auroc(same, scores), "eer": eer(same, scores)}
