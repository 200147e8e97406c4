"""Likelihood ratios of four to thirteen words: by their own calibration, and by that of fourteen.

Consecutive words of test writers' pages, half of the documents with words by another writer as the first
proposition states, half of the others spliced from two sessions where there are any. A ratio of 1 for every
document, the trivial baseline, has a Cllr of 1.

Example: python benchmarks/small_pages.py --vectors runs/vectors --database csafe
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from known_writers import known_writers, known_writers_benchmark

from handshift.bag.draw import Drawer
from handshift.bag.pages import pages_of
from handshift.bag.patterns import Block, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.calibration.page_calibration import PageCalibration
from handshift.core.arrays import Floats
from handshift.detect.score_bags import score_bags
from handshift.metrics import bootstrap_interval, cllr

SIZES, USUAL, SEED, REPEATS = (4, 5, 6, 8, 10, 13), 14, 2026, 300
PATTERNS = (Block(), Block(), Block(), Scattered())


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--documents", type=int, default=2000, help="of each size")
    given = benchmark.begin()
    known = known_writers(given)
    context, detector = known.model.context(), known.model.detector(given.threads)
    claim = context.propositions.claim
    if claim is None:
        raise SystemExit(f"{known.model.card.id}: its propositions name no shares")
    by_usual = replace(context, sizes=tuple(one for one in context.sizes if one.words >= USUAL))
    result: dict[str, Any] = {"model": known.model.card.id, "part": given.part, "writers": len(known.writers)}
    for words in SIZES:
        covered = [count for count in range(1, words // 2 + 1) if claim.holds(count / words, words)]
        several = any(page.session != 1 for page in pages_of(known.table, known.writers, words))
        kinds = {Kind.MIXED: 2, Kind.SINGLE: 1, **({Kind.SPLICED: 1} if several else {})}
        plan = Plan(words, foreign=tuple(covered), patterns=PATTERNS, kinds=kinds)
        pages = pages_of(known.table, known.writers, words)
        bags = Drawer(pages, plan).draw(given.documents, np.random.default_rng([SEED, words]))
        mixed = np.asarray(bags.label, bool)
        scores = score_bags(detector, known.vectors, bags).score
        ratios = {"own": context, f"of {USUAL} words": by_usual}
        result[str(words)] = {
            name: _figures(np.asarray(bags.writer), mixed, curve.log10_lr(scores, words))
            for name, curve in ratios.items()
        } | {"bounds": [round(bound, 2) for bound in _bounds(context, words)]}
        print(words, result[str(words)], flush=True)
    benchmark.write(result)


def _figures(writer: Any, mixed: Any, log10_lr: Floats) -> dict[str, Any]:
    """Cllr with its interval over writers, and how often a ratio of 10 or more misleads on either side."""
    found = bootstrap_interval(writer, lambda at: cllr(mixed[at], log10_lr[at]), repeats=REPEATS, seed=SEED)
    return {
        "cllr": {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]},
        "one hand above 10": round(float((log10_lr[~mixed] >= 1).mean()), 4),
        "several below 1/10": round(float((log10_lr[mixed] <= -1).mean()), 4),
    }


def _bounds(context: PageCalibration, words: int) -> tuple[float, float]:
    return context.page_lr(0.0, words).bounds


if __name__ == "__main__":
    main()
