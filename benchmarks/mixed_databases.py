"""Fourteen words, some by another writer of the same database: every database, models side by side.

Up to three sheets of each held-out writer are read, as `databases.py` reads them; words that come as single
pictures are grouped into sheets by writer and session. Bags hold consecutive words of one sheet; in mixed
ones a block is another writer's. The score is that of `handshift examine`.

Example: python benchmarks/mixed_databases.py --data databases --part test --model words-3 --model words-4
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from databases import MANNERS, Cut, cut_words
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.bag.draw import Drawer
from handshift.bag.pages import pages_of
from handshift.bag.plan import Kind, Plan
from handshift.bag.pseudo_pages import PseudoPages
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.splits import load_split
from handshift.detect.score_bags import score_bags
from handshift.metrics import auroc, bootstrap_interval, tpr_at_fpr
from handshift.models.shipped_models import ShippedModel, find_model

SEED, BAGS, WORDS, REPEATS = 2026, 300, 14, 300
SHARES = (0.3, 0.5)
DATABASES = ("csafe", "iam", "iam-strokes", "copiste", "khatt", "ahawp", "fonts-korean", "dhsd")


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, required=True, help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument("--part", default="validation", help="part of the splits, or several: a+b")
    options.add_argument("--model", action="append", required=True, help="may be repeated")
    options.add_argument("--database", action="append", help="only this one; may be repeated")
    options.add_argument("--threads", type=int, default=1)
    given = benchmark.begin()
    models = {name: find_model(name) for name in given.model}
    result: dict[str, object] = {"part": given.part, "seed": SEED, "words": WORDS, "bags": BAGS}
    for name in given.database or DATABASES:
        database = read_database(given.data, name)
        parts = load_split(database, given.splits).parts
        writers = [writer for part in given.part.split("+") for writer in parts[part]]
        cuts = cut_words(database, writers, given.threads)
        figures = {one: _figures(cuts, model, given.threads) for one, model in models.items()}
        result[name] = {"writers": len({cut.record.writer for cut in cuts}), **figures}
        print(name, figures, flush=True)
    benchmark.write(result)


def _figures(cuts: list[Cut], model: ShippedModel, threads: int) -> dict[str, Any]:
    """AUC of mixed against one-hand bags, by share of foreign words."""
    embedder = model.embedder(threads)
    crops = [getattr(cut, MANNERS[embedder.scaling]) for cut in cuts]
    records = [cut.record for cut, own in zip(cuts, crops, strict=True) for _ in own]
    vectors = embedder.embed_crops(np.concatenate(crops))
    names = np.array([record.page for record in records])
    if np.unique(names).size > 0.5 * names.size:  # pictures of single words
        names = np.array([f"{record.writer} {record.session}" for record in records])
    writer, session = [record.writer for record in records], [record.session for record in records]
    table = PseudoPages(names, np.array(writer), np.array(session), np.full(names.size, ""))
    pages = pages_of(table, sorted(set(writer)), WORDS)
    detector = model.detector(threads)
    figures = {}
    for share in SHARES:
        plan = Plan(WORDS, shares=(share,), kinds={Kind.SINGLE: 1, Kind.MIXED: 1})
        bags = Drawer(pages, plan).draw(2 * BAGS, np.random.default_rng(SEED))
        scores = score_bags(detector, vectors, bags).score
        figures[f"{share:.0%}"] = _measured(bags.writer, bags.label.astype(bool), scores)
    return figures


def _measured(
    writer: NDArray[np.str_], mixed: NDArray[np.bool_], scores: NDArray[np.floating]
) -> dict[str, Any]:
    found = bootstrap_interval(writer, lambda at: auroc(mixed[at], scores[at]), repeats=REPEATS, seed=SEED)
    return {
        "auc": round(auroc(mixed, scores), 4),
        "interval": [round(found.low, 4), round(found.high, 4)],
        "tpr_at_fpr_5%": round(tpr_at_fpr(mixed, scores, 0.05), 4),
    }


if __name__ == "__main__":
    main()
