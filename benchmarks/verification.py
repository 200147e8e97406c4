"""Verification of word pairs and page pairs of test writers, and the size of the model.

Word pairs are balanced and cross sessions. Page pairs have other prompts, and other sessions where one writer
wrote both. The page score of the product is "two-covariance LR"; the others are what it was chosen over.

Example: python benchmarks/verification.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from known_writers import KnownWriters, known_writers, known_writers_benchmark
from numpy.typing import NDArray

from handshift.bag.page_pairs import PagePairs, page_pairs
from handshift.bag.pages import pages_of
from handshift.calibration.pair_calibration import words_of_pair
from handshift.detect.plda import log_ratios
from handshift.embedding.crops.word_crop import ink_lengths
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes
from handshift.embedding.verification import (
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
Scores = NDArray[np.floating]


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--pairs", type=int, default=20_000, help="word pairs")
    benchmark.options.add_argument(
        "--impostors", type=int, default=1_000_000, help="word pairs for small FAR"
    )
    benchmark.options.add_argument("--repeats", type=int, default=300, help="draws of writers for intervals")
    given = benchmark.begin()
    known = known_writers(given)
    table, writers, model, vectors = known.table, known.writers, known.model, known.vectors
    pages = page_pairs(pages_of(table, writers))
    result: dict[str, object] = {
        "model": _size(model),
        "part": given.part,
        "writers": len(writers),
        "seed": SEED,
        "words": _words(known, given),
        "pages": _pages(pages, vectors, model, given.repeats),
    }
    benchmark.write(result)


def _words(known: KnownWriters, given: Namespace) -> dict[str, object]:
    table, vectors, writers = known.table, known.vectors, known.writers
    pairs = balanced_pairs(table, writers, given.pairs, SEED)
    scores = similarities(vectors, pairs.rows)
    figures = verification_report(
        scores, pairs.same, table.writer[pairs.rows], seed=SEED, repeats=given.repeats
    )
    strangers = impostor_pairs(table, writers, given.impostors, SEED)
    genuine = scores[pairs.same]
    both = np.concatenate([genuine, similarities(vectors, strangers.rows)])
    truth = np.arange(both.size) < genuine.size
    lengths = ink_lengths(table.crops[pairs.rows[:, 0]]), ink_lengths(table.crops[pairs.rows[:, 1]])
    return (
        figures
        | tar_at_far_figures(both, truth)
        | {"by_shorter_word": _by_length(scores, pairs, np.minimum(*lengths))}
    )


def _by_length(scores: Scores, pairs: Pairs, columns: NDArray[np.integer]) -> dict[str, object]:
    """AUC by the inked columns of a pair's shorter word: single letters carry little information."""
    edges = (0, 30, 45, 60, 90, 241)
    parts = {f"{low}–{high - 1}": (columns >= low) & (columns < high) for low, high in pairwise(edges)}
    return {
        name: {"pairs": int(at.sum()), "auc": round(auroc(pairs.same[at], scores[at]), 4)}
        for name, at in parts.items()
    }


def _pages(
    pairs: PagePairs, vectors: NDArray[np.float32], model: ShippedModel, repeats: int
) -> dict[str, object]:
    sets = [vectors[page.rows] for page in pairs.pages]
    mean, attention = prototypes(sets), prototypes(sets, Aggregation.ATTENTION)
    context = model.comparison()
    covariances = context.widened(model.covariances())
    one, two = pairs.at.T
    score = log_ratios(mean[one], mean[two], covariances)
    log10_lr = context.log10_lr(score, words_of_pair(mean.counts[one], mean.counts[two]))
    others: dict[str, Scores] = {
        "cosine of means": _paired(_unit(mean.means), one, two),
        "mean of pairwise cosines": _paired(mean.means, one, two),
        "two-covariance LR, attention": log_ratios(attention[one], attention[two], covariances),
    }
    return {
        "pages": len(pairs.pages),
        "median_words": float(np.median([page.rows.size for page in pairs.pages])),
        **verification_report(score, pairs.same, pairs.writers, seed=SEED, repeats=repeats),
        **tar_at_far_figures(score, pairs.same),
        "cllr": round(cllr(pairs.same, log10_lr), 4),
        "cllr_min": round(cllr_min(pairs.same, log10_lr), 4),
        "other_scores": {
            name: {"auc": round(auroc(pairs.same, other), 4), "eer": round(eer(pairs.same, other), 4)}
            for name, other in others.items()
        },
        "long_texts": _long(pairs, mean, lambda at: score[at]),
    }


def _long(
    pairs: PagePairs, sets: Prototypes, score: Callable[[NDArray[np.intp]], Scores]
) -> dict[str, object]:
    """The same where both pages have forty words or more: the shortest prompt has fourteen."""
    at = np.flatnonzero((sets.counts[pairs.at] >= 40).all(axis=1))
    return {
        "pairs": {"same": int(pairs.same[at].sum()), "different": int((~pairs.same[at]).sum())},
        "auc": round(auroc(pairs.same[at], score(at)), 4),
        "eer": round(eer(pairs.same[at], score(at)), 4),
    }


def _size(model: ShippedModel) -> dict[str, object]:
    path = model.folder / "words.onnx"
    facts: dict[str, object] = {"id": model.card.id, "network_bytes": path.stat().st_size}
    try:
        import onnx
    except ImportError:
        return facts
    weights = onnx.load(path).graph.initializer
    floats = (onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, onnx.TensorProto.INT8, onnx.TensorProto.UINT8)
    counted = [int(np.prod(one.dims)) for one in weights if one.data_type in floats]
    total = sum(file.stat().st_size for file in model.folder.iterdir() if file.is_file())
    return facts | {"parameters": sum(counted), "all_bytes": total}


def _unit(rows: Scores) -> Scores:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _paired(rows: Scores, one: NDArray[np.intp], two: NDArray[np.intp]) -> Scores:
    return np.einsum("pd,pd->p", rows[one], rows[two])


if __name__ == "__main__":
    main()
