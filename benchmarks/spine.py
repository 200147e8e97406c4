"""Word verification and detection of mixed documents on test writers, with the spliced control.

Example: python benchmarks/spine.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

from typing import Any

import numpy as np
from known_writers import known_writers, known_writers_benchmark
from numpy.typing import NDArray

from handshift.bag.draw import Drawer
from handshift.bag.pages import PageRows, pages_of
from handshift.bag.plan import Kind, Plan
from handshift.detect.detector import Detector
from handshift.detect.score_bags import score_bags
from handshift.embedding.verification import balanced_pairs, similarities
from handshift.metrics import always_positive_f1, auroc, bootstrap_interval, eer, tpr_at_fpr

SEED = 2026
BAGS = 400
SHARES = {"14 words": (0.1, 0.15, 0.2, 0.3, 0.5), "whole page": (0.05, 0.1, 0.2, 0.3, 0.5)}
"""Of foreign words; of fourteen these are 1, 2, 3, 4 and 7."""
LONG = 40
"""Words that a whole page has at least: the phrase of fourteen words is a short bag, not a page."""
KINDS = {Kind.SINGLE: 1, Kind.SPLICED: 1, Kind.MIXED: 1}


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    given = benchmark.begin()
    known = known_writers(given)
    table, writers, model, vectors = known.table, known.writers, known.model, known.vectors
    pairs = balanced_pairs(table, writers, count=10_000, seed=SEED)
    similarity = similarities(vectors, pairs.rows)
    by = table.writer[pairs.rows[:, 0]]
    result: dict[str, object] = {
        "model": model.card.id,
        "part": given.part,
        "writers": len(writers),
        "seed": SEED,
        "word_verification": {
            "pairs": len(by),
            "auc": round(auroc(pairs.same, similarity), 4),
            "auc_interval": _interval(by, pairs.same, similarity),
            "eer": round(eer(pairs.same, similarity), 4),
            "chance": {"auc": 0.5, "eer": 0.5},
        },
    }
    detector, documents, passed = model.detector(given.threads), {}, {}
    for name, words, fewest in (("14 words", 14, 14), ("whole page", None, LONG)):
        pages, controls = pages_of(table, writers, fewest), list[Control]()
        documents[name] = {
            f"{share:.0%}": _compare(pages, vectors, detector, share, words, controls)
            for share in SHARES[name]
        }
        passed[name] = _two_sessions(controls)
    result |= {"documents": documents, "two_sessions_at_5%": passed}
    benchmark.write(result)


Control = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.str_]]
"""Scores of documents of one session and of two sessions of one writer, and the writers of the latter."""


def _compare(
    pages: list[PageRows],
    vectors: NDArray[np.float32],
    detector: Detector,
    share: float,
    words: int | None,
    controls: list[Control],
) -> dict[str, object]:
    plan = Plan(words, shares=(share,), kinds=KINDS)
    bags = Drawer(pages, plan).draw(BAGS * len(KINDS), np.random.default_rng(SEED))
    scored = score_bags(detector, vectors, bags)
    scores = scored.score
    single, spliced = bags.kind == Kind.SINGLE.word, bags.kind == Kind.SPLICED.word
    controls.append((scores[single], scores[spliced], bags.writer[spliced]))

    def pair(positive: Kind, negative: Kind) -> dict[str, object]:
        chosen = np.isin(bags.kind, (positive.word, negative.word))
        truth, both, by = (bags.kind == positive.word)[chosen], scores[chosen], bags.writer[chosen]
        return {
            "auc": round(auroc(truth, both), 4),
            "auc_interval": _interval(by, truth, both),
            "tpr_at_fpr_5%": round(tpr_at_fpr(truth, both, 0.05), 4),
        }

    ends = bags.offsets[1:-1].astype(int)
    parts = zip(np.split(bags.foreign, ends), np.split(scored.contribution, ends), strict=True)
    within = [auroc(*part) for part, mixed in zip(parts, bags.label, strict=True) if mixed]
    return {
        "mixed_against_single": pair(Kind.MIXED, Kind.SINGLE),
        "mixed_against_spliced": pair(Kind.MIXED, Kind.SPLICED),
        "control_spliced_against_single": pair(Kind.SPLICED, Kind.SINGLE),
        "trivial": {"auc": 0.5, "always_mixed_f1": round(always_positive_f1(np.repeat([1, 0], BAGS)), 4)},
        "word_auc": round(float(np.mean(within)), 4),
    }


def _two_sessions(controls: list[Control]) -> dict[str, object]:
    """Share of two-session documents above the score that 5 % of one-session documents pass, all draws."""
    single, spliced, writer = (np.concatenate(part) for part in zip(*controls, strict=True))
    above = spliced > np.quantile(single, 0.95)
    found = bootstrap_interval(writer, lambda at: float(above[at].mean()), repeats=300, seed=SEED)
    interval = [round(found.low, 4), round(found.high, 4)]
    return {"value": round(found.value, 4), "interval": interval, "documents": len(spliced)}


def _interval(writers: NDArray[Any], truth: NDArray[Any], scores: NDArray[Any]) -> list[float]:
    found = bootstrap_interval(writers, lambda at: auroc(truth[at], scores[at]), repeats=300, seed=SEED)
    return [round(found.low, 4), round(found.high, 4)]


if __name__ == "__main__":
    main()
