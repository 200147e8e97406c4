"""Verification of words and pages by known writers: AUC, EER, TAR@FAR, 10-fold accuracy."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.same_writer import LN10, SameWriter
from handshift.bag.page_pairs import PagePairs
from handshift.calibration.pair_calibration import words_of_pair
from handshift.core.arrays import Floats
from handshift.detect.plda import log_ratios
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes
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
    model: ShippedModel | None = None,
    sizes: Floats | None = None,
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
        model: A calibrated model whose network made the vectors.
        sizes: (words,) ln mm. With both, the same pairs are also scored by the model's likelihood ratio,
            without and with the size of the writing on the pages that the words were taken from.

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
    if model is not None and sizes is not None:
        figures["compared"] = _compared_words(words, vectors, sizes, drawn, model, repeats, seed)
    if ink is not None:
        figures["by_shorter_word"] = _by_ink(scores, drawn, ink[drawn.rows].min(axis=1))
    return figures


def _compared_words(
    words: LabelledWords,
    vectors: NDArray[np.float32],
    sizes: Floats,
    pairs: Pairs,
    model: ShippedModel,
    repeats: int,
    seed: int,
) -> dict[str, object]:
    """Likelihood ratios of pairs of single words; their size is that of the page, which scaled the crop."""
    same = SameWriter.of(model.covariances(), model.comparison())
    _, page = np.unique(words.page, return_inverse=True)
    known = np.bincount(page, np.isfinite(sizes))
    means = np.bincount(page, np.nan_to_num(sizes)) / np.where(known > 0, known, np.nan)
    sides = [
        same.sums(Prototypes(vectors[rows].astype(np.float64), np.ones(len(rows)))) for rows in pairs.rows.T
    ]
    plain = same.ratios(sides[0], sides[1]).weight
    figures: dict[str, object] = {"without size": _with_intervals(plain, pairs, words, repeats, seed)}
    if (sized := same.calibration.size) is not None:
        at = page[pairs.rows]
        noise = sized.page + sized.word / np.maximum(known[at], 1)
        ratio = sized.log_ratios((means[at[:, 0]], means[at[:, 1]]), (noise[:, 0], noise[:, 1])) / LN10
        figures["with size"] = _with_intervals(plain + ratio, pairs, words, repeats, seed)
        figures["size alone"] = _auc_and_eer(pairs.same, ratio)
    return figures


def _with_intervals(
    scores: NDArray[np.floating], pairs: Pairs, words: LabelledWords, repeats: int, seed: int
) -> dict[str, object]:
    report = verification_report(scores, pairs.same, words.writer[pairs.rows], seed=seed, repeats=repeats)
    return {name: report[name] for name in ("auc", "eer")}


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
    sizes: Floats | None = None,
) -> dict[str, object]:
    """Measure page pairs: by the model's calibrated PLDA likelihood ratio, or by cosine without a model.

    Args:
        pairs: Pages and which of them are paired.
        vectors: (words, dimensions).
        model: A calibrated model whose network made the vectors; None for an uncalibrated network.
        repeats: Bootstrap samples of writers.
        seed: Of bootstrap and folds.
        sizes: (words,) ln mm; where given, pages are also compared with the size of their writing.

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
        if sizes is not None and context.size is not None:
            calibrated["with_size"] = _compared_pages(pairs, mean, sizes, model, repeats, seed)
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


def _compared_pages(
    pairs: PagePairs, mean: Prototypes, sizes: Floats, model: ShippedModel, repeats: int, seed: int
) -> dict[str, object]:
    """Pages by the model's likelihood ratio with the size of the writing."""
    same = SameWriter.of(model.covariances(), model.comparison())
    rows = with_sizes(mean.means, np.array([sizes[page.rows].mean() for page in pairs.pages]))
    sums = same.sums(Prototypes(rows, mean.counts))
    found = same.ratios(sums[pairs.at[:, 0]], sums[pairs.at[:, 1]])
    report = verification_report(found.weight, pairs.same, pairs.writers, seed=seed, repeats=repeats)
    plain = found.weight - found.size
    return {
        "without": _auc_and_eer(pairs.same, plain),
        **{name: report[name] for name in ("auc", "eer", "fpr_at_fnr_4%", "fpr_at_fnr_2%")},
        **tar_at_far_figures(found.weight, pairs.same),
        "size alone": _auc_and_eer(pairs.same, found.size),
        "cllr": round(cllr(pairs.same, found.log10_lr), 4),
        "cllr_min": round(cllr_min(pairs.same, found.log10_lr), 4),
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
