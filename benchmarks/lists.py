"""Lists of entries: who filled two lines. One line a person, five people entered twice from elsewhere.

One line of every test writer of a database; five of them have a second line of another session (CSAFE), form
(IAM) or page (copiste). Pairs are ranked as `handshift hands --by line` ranks them, beside the cosine of mean
vectors. With ``--long 400`` one list of that length, filled with lines of training writers as distractors, is
timed, and its false pairs are counted beside the number stated.

Example: python benchmarks/lists.py --data ../shared/data --cache runs/pages
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from database_pages import DATABASES, KnownPage, known_pages, page_options
from result_file import Benchmark

from handshift.attribution.entry_list import centred, one_pair_prior
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.partition_prior import PartitionPrior
from handshift.attribution.same_writer import SameWriter
from handshift.attribution.writer_clustering import most_probable_writers
from handshift.embedding.prototypes import prototypes
from handshift.models.shipped_models import find_model

SEED, TWICE, FEWEST = 2026, 5, 3
"""A line has three legible words at least."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    page_options(benchmark.options)
    benchmark.options.add_argument("--lists", type=int, default=100, help="drawings of each database")
    benchmark.options.add_argument("--long", type=int, default=0, help="length of the list that is timed")
    benchmark.options.add_argument("--database", action="append", help="only this one; may be repeated")
    given = benchmark.begin()
    shipped = find_model(given.model)
    model = SameWriter.of(shipped.covariances(), shipped.comparison())
    result: dict[str, Any] = {"model": shipped.card.id, "part": given.part, "seed": SEED}
    for database in given.database or DATABASES:
        pages = known_pages(given, database, lines=True)
        rng = np.random.default_rng(SEED)
        drawn = [_scored(*_list(pages, rng), model) for _ in range(given.lists)]
        result[database] = {name: _mean([one[name] for one in drawn]) for name in drawn[0]}
        print(database, result[database], flush=True)
    if given.long:
        result["long"] = _long(given, model)
    benchmark.write(result)


def _lines(page: KnownPage) -> list[np.ndarray]:
    """Word vectors of each line that is long enough."""
    found = [page.vectors[page.line == line] for line in np.unique(page.line)]
    return [words for words in found if len(words) >= FEWEST]


def _list(pages: Sequence[KnownPage], rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """The entries and the writer of each."""
    by_writer: dict[str, list[KnownPage]] = defaultdict(list)
    for page in pages:
        if _lines(page):
            by_writer[page.writer].append(page)
    entries, owner = [], []
    first: dict[str, KnownPage] = {}
    for name, own in by_writer.items():
        first[name] = own[int(rng.integers(len(own)))]
        entries.append(_one_line(first[name], rng))
        owner.append(name)
    days = {name: len({page.session for page in own}) > 1 for name, own in by_writer.items()}
    several = [name for name, own in by_writer.items() if len(own) > 1]
    apart = [name for name in several if days[name]] or several
    for name in rng.permutation(apart)[:TWICE]:
        others = [page for page in by_writer[name] if page.record.page != first[name].record.page]
        other_days = [page for page in others if page.session != first[name].session]
        choice = other_days or others
        entries.append(_one_line(choice[int(rng.integers(len(choice)))], rng))
        owner.append(str(name))
    return entries, np.array(owner)


def _one_line(page: KnownPage, rng: np.random.Generator) -> np.ndarray:
    lines = _lines(page)
    return lines[int(rng.integers(len(lines)))]


def _scored(entries: list[np.ndarray], owner: np.ndarray, model: SameWriter) -> dict[str, float]:
    hands = prototypes(entries)
    one, two = np.triu_indices(len(entries), 1)
    same = owner[one] == owner[two]
    sums = model.sums(centred(hands, model))
    weight = model.ratios(sums[one], sums[two]).weight
    words = (sums[one] + sums[two]).words
    rate = same.size * model.calibration.stranger_rate(weight, words)
    unit = hands.means / np.linalg.norm(hands.means, axis=1, keepdims=True)
    cosine = np.einsum("pd,pd->p", unit[one], unit[two])
    stated = rate <= 1
    return {
        "entries": float(len(entries)),
        "map": _average_precision(same, np.lexsort((-weight, rate))),
        "recall_at_one_false_pair": _recall(same, np.lexsort((-weight, rate))),
        "false_pairs_at_one_stated": float((stated & ~same).sum()),
        "cosine_map": _average_precision(same, np.argsort(-cosine, kind="stable")),
        "cosine_recall_at_one_false_pair": _recall(same, np.argsort(-cosine, kind="stable")),
        "chance_map": float(same.mean()),
    }


def _average_precision(same: np.ndarray, order: np.ndarray) -> float:
    hits = same[order]
    return float((np.cumsum(hits) / np.arange(1, hits.size + 1))[hits].mean())


def _recall(same: np.ndarray, order: np.ndarray) -> float:
    """Share of the true pairs ranked before the second false one."""
    hits = same[order]
    allowed = np.cumsum(~hits) <= 1
    return float(hits[allowed].sum() / hits.sum())


def _long(given: Namespace, model: SameWriter) -> dict[str, Any]:
    """A long list within CSAFE, with distractors that the network was trained on."""
    rng = np.random.default_rng(SEED)
    entries, owner = _list(known_pages(given, "csafe", lines=True), rng)
    distractors = [page for page in known_pages(given, "csafe", "train", lines=True) if _lines(page)]
    names = list(owner)
    for at in rng.permutation(len(distractors)):
        page = distractors[int(at)]
        if len(entries) == given.long:
            break
        if page.writer not in names:
            entries.append(_one_line(page, rng))
            names.append(page.writer)
    begun = time.perf_counter()
    found = _scored(entries, np.array(names), model)
    evidence = GroupEvidence(model, centred(prototypes(entries), model))
    labels = most_probable_writers(evidence, PartitionPrior(one_pair_prior(len(entries))))
    return found | {
        "distractors": "lines of writers that the network was trained on",
        "groups": int((np.bincount(labels) > 1).sum()),
        "seconds_of_comparison": round(time.perf_counter() - begun, 2),
    }


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 4)


if __name__ == "__main__":
    main()
