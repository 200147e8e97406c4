"""Verification of words and pages by known writers: AUC, EER, TAR@FAR, 10-fold accuracy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from handshift.bag.page_pairs import PagePairs
from handshift.calibration.pair_calibration import words_of_pair
from handshift.detect.plda import log_ratios
from handshift.embedding.prototypes import Aggregation, prototypes
from handshift.embedding.verification import (
    LabelledWords,
    Pairs,
    balanced_pairs,
    impostor_pairs,
    similarities,
    tar_at_far_figures,
    verification_report,
)
from handshift.metrics import auroc, cllr, cllr_min, eer
from handshift.models.shipped_models import ShippedModel

SEED = 2026
LONG_TEXT = 40
"""Words from which on a page counts as long: the shortest prompt of CSAFE has fourteen."""
_INK_EDGES = (0, 30, 45, 60, 90, 241)


def word_verification(
    words: LabelledWords,
    vectors: NDArray[np.float32],
    writers: list[str],
    *,
    ink: NDArray[np.int64] | None = None,
    pairs: int = 20_000,
    impostors: int = 1_000_000,
    repeats: int = 300,
    seed: int = SEED,
) -> dict[str, object]:
    """Measure the cosine of word pairs of different pages, sessions where a writer has several.

    Args:
        words: Page, writer and session of each word.
        vectors: (words, dimensions).
        writers: Writers to draw from.
        ink: (words,) inked columns, for the AUC by the shorter word of a pair.
        pairs: Balanced pairs.
        impostors: Different-writer pairs for low false-accept rates.
        repeats: Bootstrap samples of writers.
        seed: Of pairs, bootstrap and folds.

    Returns:
        JSON-ready figures with intervals over writers.

    Raises:
        ValueError: Fewer than two writers have words, or none has two pages.
    """
    drawn = balanced_pairs(words, writers, pairs, seed)
    scores = similarities(vectors, drawn.rows)
    figures = verification_report(scores, drawn.same, words.writer[drawn.rows], seed=seed, repeats=repeats)
    genuine = scores[drawn.same]
    strangers = similarities(vectors, impostor_pairs(words, writers, impostors, seed).rows)
    both = np.concatenate([genuine, strangers])
    figures |= tar_at_far_figures(both, np.arange(both.size) < genuine.size)
    if ink is not None:
        figures["by_shorter_word"] = _by_ink(scores, drawn, ink[drawn.rows].min(axis=1))
    return figures


def _by_ink(scores: NDArray[np.float32], pairs: Pairs, columns: NDArray[np.int64]) -> dict[str, object]:
    """AUC by the inked columns of the shorter word of a pair."""
    parts = {f"{low}–{high - 1}": (columns >= low) & (columns < high) for low, high in pairwise(_INK_EDGES)}
    return {
        name: {"pairs": int(at.sum()), "auc": round(auroc(pairs.same[at], scores[at]), 4)}
        for name, at in parts.items()
        if np.unique(pairs.same[at]).size == 2
    }


def page_verification(
    pairs: PagePairs,
    vectors: NDArray[np.float32],
    model: ShippedModel | None,
    *,
    repeats: int = 300,
    seed: int = SEED,
) -> dict[str, object]:
    """Measure page pairs: by the model's calibrated PLDA likelihood ratio, or by cosine without a model.

    Args:
        pairs: Pages and which of them are paired.
        vectors: (words, dimensions).
        model: A calibrated model whose network made the vectors; None for an uncalibrated network.
        repeats: Bootstrap samples of writers.
        seed: Of bootstrap and folds.

    Returns:
        JSON-ready figures with intervals over writers.
    """
    sets = [vectors[page.rows] for page in pairs.pages]
    mean, attention = prototypes(sets), prototypes(sets, Aggregation.ATTENTION)
    one, two = pairs.at.T
    others = {
        "cosine of means": _paired(_unit(mean.means), one, two),
        "mean of pairwise cosines": _paired(mean.means, one, two),
    }
    calibrated: dict[str, object] = {}
    if model is None:
        score = others.pop("cosine of means")
        others["cosine of attention means"] = _paired(_unit(attention.means), one, two)
    else:
        context = model.comparison()
        covariances = context.widened(model.covariances())
        score = log_ratios(mean[one], mean[two], covariances)
        others["two-covariance LR, attention"] = log_ratios(attention[one], attention[two], covariances)
        log10_lr = context.log10_lr(score, words_of_pair(mean.counts[one], mean.counts[two]))
        calibrated = {
            "cllr": round(cllr(pairs.same, log10_lr), 4),
            "cllr_min": round(cllr_min(pairs.same, log10_lr), 4),
        }
    long = (mean.counts[pairs.at] >= LONG_TEXT).all(axis=1)
    return {
        "pages": len(pairs.pages),
        "median_words": float(np.median([page.rows.size for page in pairs.pages])),
        **verification_report(score, pairs.same, pairs.writers, seed=seed, repeats=repeats),
        **tar_at_far_figures(score, pairs.same),
        **calibrated,
        "other_scores": {name: _auc_and_eer(pairs.same, other) for name, other in others.items()},
        **({"long_texts": _long_texts(pairs.same[long], score[long])} if long.any() else {}),
    }


def _auc_and_eer(same: NDArray[np.bool_], scores: NDArray[np.floating]) -> dict[str, object]:
    return {"auc": round(auroc(same, scores), 4), "eer": round(eer(same, scores), 4)}


def _long_texts(same: NDArray[np.bool_], scores: NDArray[np.floating]) -> dict[str, object]:
    """The same where both pages have `LONG_TEXT` words or more."""
    counts = {"same": int(same.sum()), "different": int((~same).sum())}
    return {"pairs": counts, **(_auc_and_eer(same, scores) if all(counts.values()) else {})}


def _unit(rows: NDArray[np.floating]) -> NDArray[np.floating]:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12))


def _paired(
    rows: NDArray[np.floating], one: NDArray[np.int64], two: NDArray[np.int64]
) -> NDArray[np.floating]:
    return np.asarray(np.einsum("pd,pd->p", rows[one], rows[two]))
