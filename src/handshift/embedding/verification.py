"""Verification of word pairs: drawing pairs, and AUC, EER, TAR@FAR and 10-fold accuracy of their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.metrics import auroc, bootstrap_interval, eer, fold_accuracy, roc_curve, tar_at_far

FALSE_ACCEPTS = (1e-3, 1e-4, 1e-5)
_ERRORS_TO_COUNT = 10
"""A rate estimated from fewer expected errors than this is unreliable."""


class LabelledWords(Protocol):
    """Page, writer and session of each word: a `WordCollection` or `WordVectors`."""

    @property
    def page(self) -> NDArray[np.str_]:
        """(words,)."""

    @property
    def writer(self) -> NDArray[np.str_]:
        """(words,)."""

    @property
    def session(self) -> NDArray[np.int64]:
        """(words,)."""


@dataclass(frozen=True)
class Pairs:
    """Word pairs, and whether one writer wrote both."""

    rows: NDArray[np.int64]
    """(pairs, 2) rows of the collection."""
    same: NDArray[np.bool_]


def balanced_pairs(words: LabelledWords, writers: Iterable[str], count: int, seed: int) -> Pairs:
    """Draw pairs, half of them by one writer, uniform over writers, never from one page.

    Same-writer pairs come from different sessions where the writer has them: within one page or session pen
    and scan would identify the writer.

    Args:
        words: The collection.
        writers: Writers to draw from.
        count: Number of pairs.
        seed: Of the draw.

    Returns:
        The pairs.

    Raises:
        ValueError: Fewer than two writers have words, or none has two pages.
    """
    rng = np.random.default_rng(seed)
    rows_of = {writer: np.flatnonzero(words.writer == writer) for writer in writers}
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


def impostor_pairs(words: LabelledWords, writers: Iterable[str], count: int, seed: int) -> Pairs:
    """Draw about `count` different-writer pairs, uniform over pairs of writers, for low false-accept rates.

    Raises:
        ValueError: Fewer than two writers have words.
    """
    rng = np.random.default_rng(seed)
    rows_of = [rows for rows in (np.flatnonzero(words.writer == writer) for writer in writers) if rows.size]
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
    """Compute the cosines of pairs (pairs, 2) in blocks; 0 for a word without ink; (pairs,)."""
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), np.float32(1e-12))

    def cosines(part: NDArray[np.int64]) -> NDArray[np.float32]:
        one, two = part.T
        products = np.einsum("pd,pd->p", vectors[one], vectors[two])
        return np.asarray(products / (lengths[one] * lengths[two]))

    return np.concatenate([cosines(rows[start : start + 65536]) for start in range(0, len(rows), 65536)])


def verification_figures(scores: NDArray[np.floating], same: NDArray[np.bool_]) -> dict[str, float]:
    """Compute AUC (chance 0.5) and equal error rate of scores that are high for same-writer pairs."""
    return {"auc": auroc(same, scores), "eer": eer(same, scores)}


def fpr_at_fnr(scores: NDArray[np.floating], same: NDArray[np.bool_], misses: float) -> float:
    """Compute the smallest false-positive rate at which at most `misses` of same-writer pairs are missed."""
    curve = roc_curve(same, scores)
    return float(curve.fpr[1 - curve.tpr <= misses + 1e-12][0])


def tar_at_far_figures(scores: NDArray[np.floating], same: NDArray[np.bool_]) -> dict[str, dict[str, object]]:
    """Compute the true-accept rate at each of `FALSE_ACCEPTS`, and whether impostor pairs suffice for it."""
    impostors = int((~same).sum())
    return {
        f"tar_at_far_{limit:.0e}".replace("e-0", "e-"): {
            "value": round(tar_at_far(same, scores, limit), 4),
            "impostor_pairs": impostors,
            "enough": impostors * limit >= _ERRORS_TO_COUNT,
        }
        for limit in FALSE_ACCEPTS
    }


def verification_report(
    scores: NDArray[np.floating],
    same: NDArray[np.bool_],
    writers: NDArray[np.str_],
    *,
    seed: int,
    repeats: int = 300,
) -> dict[str, object]:
    """Compute all verification figures, with bootstrap intervals over writers.

    The bootstrap resamples whole writers; the threshold of 10-fold accuracy comes from pairs neither of
    whose writers is in the fold.

    Args:
        scores: (pairs,), high for one writer.
        same: (pairs,), whether one writer wrote both.
        writers: (pairs, 2).
        seed: Of bootstrap and folds.
        repeats: Bootstrap samples.

    Returns:
        JSON-ready figures: pairs, auc, eer, fpr_at_fnr, accuracy_10_fold, chance.
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
        "fpr_at_fnr_4%": with_interval(lambda at: fpr_at_fnr(scores[at], same[at], 0.04)),
        "fpr_at_fnr_2%": with_interval(lambda at: fpr_at_fnr(scores[at], same[at], 0.02)),
        "accuracy_10_fold": {
            "value": round(accuracy.mean, 4),
            "standard_error": round(accuracy.error, 4),
            "folds": accuracy.folds,
        },
        "chance": {"auc": 0.5, "eer": 0.5, "accuracy_10_fold": 0.5},
    }


def _balanced(same: NDArray[np.bool_], seed: int) -> NDArray[np.intp]:
    """Equal numbers of either kind: with more impostor pairs "always different" would be accurate."""
    rng = np.random.default_rng(seed)
    kinds = [np.flatnonzero(same), np.flatnonzero(~same)]
    count = min(kind.size for kind in kinds)
    return np.concatenate([rng.choice(kind, count, replace=False) for kind in kinds])
