"""Are two words by one hand? Pairs to ask it of, and how well it is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.embedding.crops.collection import WordCollection
from handshift.metrics import auroc, bootstrap_interval, eer, fold_accuracy, roc_curve, tar_at_far

FALSE_ACCEPTS = (1e-3, 1e-4, 1e-5)
_ERRORS_TO_COUNT = 10
"""A rate measured on fewer errors than this is noise."""


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


def impostor_pairs(words: WordCollection, writers: Iterable[str], count: int, seed: int) -> Pairs:
    """About `count` pairs by two writers, every writer alike: what rates of one in 100,000 are counted on."""
    rng = np.random.default_rng(seed)
    rows_of = [rows for rows in (words.rows_of([writer]) for writer in writers) if rows.size]
    if len(rows_of) < 2:
        raise ValueError("impostor pairs need two writers")
    each = -(-count // (len(rows_of) * (len(rows_of) - 1)))
    pairs = [
        np.stack([rng.choice(one, each), rng.choice(two, each)], axis=1)
        for number, one in enumerate(rows_of)
        for other, two in enumerate(rows_of)
        if number != other
    ]
    rows = np.concatenate(pairs)
    return Pairs(rows, np.zeros(len(rows), bool))


def similarities(vectors: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float32]:
    """(pairs,) cosines, in parts that fit in memory; a word without ink agrees with none."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), np.float32(1e-12))

    def cosines(part: NDArray[np.int64]) -> NDArray[np.float32]:
        one, two = part.T
        products = np.einsum("pd,pd->p", vectors[one], vectors[two])
        return np.asarray(products / (lengths[one] * lengths[two]))

    return np.concatenate([cosines(rows[start : start + 65536]) for start in range(0, len(rows), 65536)])


def verification_figures(scores: NDArray[np.floating], same: NDArray[np.bool_]) -> dict[str, float]:
    """AUC (chance 0.5) and equal error rate of scores that are high for one hand."""
    return {"auc": auroc(same, scores), "eer": eer(same, scores)}


def false_positives_at_misses(scores: NDArray[np.floating], same: NDArray[np.bool_], misses: float) -> float:
    """The smallest false-positive rate at a threshold that misses at most this share of same-writer pairs."""
    curve = roc_curve(same, scores)
    return float(curve.fpr[1 - curve.tpr <= misses + 1e-12][0])


def strict_end(scores: NDArray[np.floating], same: NDArray[np.bool_]) -> dict[str, dict[str, object]]:
    """True-accept rate at each of `FALSE_ACCEPTS`, and whether there are impostors enough to mean it."""
    impostors = int((~same).sum())
    return {
        f"tar_at_far_{limit:.0e}".replace("e-0", "e-"): {
            "value": round(tar_at_far(same, scores, limit), 4),
            "impostor_pairs": impostors,
            "enough": impostors * limit >= _ERRORS_TO_COUNT,
        }
        for limit in FALSE_ACCEPTS
    }


def full_figures(
    scores: NDArray[np.floating],
    same: NDArray[np.bool_],
    writers: NDArray[np.str_],
    *,
    seed: int,
    repeats: int = 300,
) -> dict[str, object]:
    """Everything said about a verification, with intervals over writers; `writers` is (pairs, 2).

    Whole writers are drawn again for the intervals, and ten-fold accuracy takes its threshold from pairs
    neither of whose writers is in the fold.
    """

    def with_interval(figure: Callable[[NDArray[np.intp]], float]) -> dict[str, object]:
        found = bootstrap_interval(writers[:, 0], figure, repeats=repeats, seed=seed)
        return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}

    at = _balanced(same, seed)
    accuracy = fold_accuracy(same[at], scores[at], writers[at], seed=seed)
    return {
        "pairs": {"same": int(same.sum()), "different": int((~same).sum())},
        "auc": with_interval(lambda at: auroc(same[at], scores[at])),
        "eer": with_interval(lambda at: eer(same[at], scores[at])),
        "fpr_at_fnr_4%": with_interval(lambda at: false_positives_at_misses(scores[at], same[at], 0.04)),
        "fpr_at_fnr_2%": with_interval(lambda at: false_positives_at_misses(scores[at], same[at], 0.02)),
        "accuracy_10_fold": {
            "value": round(accuracy.mean, 4),
            "standard_error": round(accuracy.error, 4),
            "folds": accuracy.folds,
        },
        "chance": {"auc": 0.5, "eer": 0.5, "accuracy_10_fold": 0.5},
    }


def _balanced(same: NDArray[np.bool_], seed: int) -> NDArray[np.intp]:
    """As many pairs of either kind: among many strangers, always saying "different" would be accurate."""
    rng = np.random.default_rng(seed)
    kinds = [np.flatnonzero(same), np.flatnonzero(~same)]
    count = min(kind.size for kind in kinds)
    return np.concatenate([rng.choice(kind, count, replace=False) for kind in kinds])
