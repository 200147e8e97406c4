"""Lists of entries: who filled two lines. One line a person, five people entered twice from elsewhere.

One line of every test writer of a database; five of them have a second line of another session (CSAFE), form
(IAM) or page (copiste). Pairs are ranked as `handshift hands --by line` ranks them, beside the cosine of mean
vectors. With ``--long 400`` one list of that length, filled with lines of training writers as distractors, is
timed, and its false pairs are counted beside the number stated; two lines of one distractor are no pair.

Example: python benchmarks/lists.py --model words-4 --vectors runs/vectors --data ../shared/data --long 400
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from database_pages import DATABASES, KnownPage, by_writer, known_pages, lines_of, page_options
from result_file import Benchmark

from handshift.attribution.entry_list import one_pair_prior
from handshift.attribution.entry_ranking import rank_pairs
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.link_prior import LinkPrior
from handshift.attribution.same_writer import SameWriter
from handshift.attribution.writer_clustering import most_probable_writers
from handshift.embedding.prototypes import prototypes
from handshift.models.shipped_models import find_model

SEED, TWICE, FEWEST = 2026, 5, 3
"""A line has three legible words at least."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__, inputs=("model", "vectors", "sizes"))
    page_options(benchmark.options)
    benchmark.options.add_argument("--lists", type=int, default=100, help="drawings of each database")
    benchmark.options.add_argument("--long", type=int, default=0, help="length of the list that is timed")
    given = benchmark.begin()
    shipped = find_model(given.model)
    model = SameWriter.of(shipped.covariances(), shipped.comparison())
    result: dict[str, Any] = {"model": shipped.card.id, "part": given.part, "seed": SEED}
    result["sizes"] = given.sizes
    for database in given.database or DATABASES:
        lines = Lines(given, database)
        rng = np.random.default_rng(SEED)
        drawn = [_scored(*lines.draw(rng), model) for _ in range(given.lists)]
        result[database] = {name: _mean([one[name] for one in drawn]) for name in drawn[0]}
        result[database]["map_spread"] = round(float(np.std([one["map"] for one in drawn])), 4)
        print(database, result[database], flush=True)
    if given.long:
        result["long"] = _long(given, model)
    benchmark.write(result)


class Lines:
    """The lines of a database's writers, segmented as far as they are drawn."""

    def __init__(self, given: Namespace, database: str, part: str | None = None) -> None:
        self._given, self._lines = given, dict[str, list[np.ndarray]]()
        self._pages = by_writer(known_pages(given, database, part, lines=True))

    def draw(self, rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
        """One line of every writer and a second one of five: the entries, and the writer of each."""
        entries, owner = [], []
        first: dict[str, KnownPage] = {}
        for name, own in self._pages.items():
            drawn = self._of(own, rng)
            if drawn:
                first[name], line = drawn
                entries.append(line)
                owner.append(name)
        for name in rng.permutation(self._twice(first)):
            others = [page for page in self._pages[name] if page.record.page != first[name].record.page]
            days = [page for page in others if page.session != first[name].session]
            drawn = self._of(days or others, rng)
            if drawn:
                entries.append(drawn[1])
                owner.append(str(name))
            if len(entries) == len(first) + TWICE:
                break
        return entries, np.array(owner)

    def others(self, rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
        """Lines of the writers in turn, without end."""
        while True:
            for name in rng.permutation(list(self._pages)):
                drawn = self._of(self._pages[name], rng)
                if drawn:
                    yield str(name), drawn[1]

    def _twice(self, first: dict[str, KnownPage]) -> list[str]:
        """Writers with another page; where the database has several days, with one of another day."""
        several = [name for name in first if len(self._pages[name]) > 1]
        days = [name for name in several if len({page.session for page in self._pages[name]}) > 1]
        return days or several

    def _of(
        self, pages: Sequence[KnownPage], rng: np.random.Generator
    ) -> tuple[KnownPage, np.ndarray] | None:
        """One line of one of these pages, each alike probable; None where all their lines are too short."""
        for at in rng.permutation(len(pages)):
            page = pages[int(at)]
            if page.record.page not in self._lines:
                found = [line for line in lines_of(self._given, page) if len(line) >= FEWEST]
                self._lines[page.record.page] = found
            lines = self._lines[page.record.page]
            if lines:
                return page, lines[int(rng.integers(len(lines)))]
        return None


def _scored(
    entries: list[np.ndarray], owner: np.ndarray, model: SameWriter, counted: np.ndarray | None = None
) -> dict[str, float]:
    """Average precision, recall and false pairs of one list; pairs that are not `counted` are left out."""
    hands = prototypes(entries)
    ranked = rank_pairs(GroupEvidence(model, hands, centred=True))
    one, two, rate = ranked.one, ranked.two, ranked.false_pairs
    same = owner[one] == owner[two]
    means = hands.means[:, : model.plda.mean.size]  # without the size
    unit = means / np.linalg.norm(means, axis=1, keepdims=True)
    cosine = np.einsum("pd,pd->p", unit[one], unit[two])
    kept = np.ones(same.size, bool) if counted is None else ~same | counted[one]
    same, rate, cosine = same[kept], rate[kept], cosine[kept]
    stated = rate <= 1
    order = np.arange(same.size)  # as ranked
    return {
        "entries": float(len(entries)),
        "map": _average_precision(same, order),
        "recall_at_one_false_pair": _recall(same, order),
        "false_pairs_at_one_stated": float((stated & ~same).sum()),
        "recall_at_one_stated": float((stated & same).sum() / same.sum()),
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
    entries, owner = Lines(given, "csafe").draw(rng)
    names, own = list(owner), len(entries)
    distractors = Lines(given, "csafe", "train").others(rng)
    for name, line in islice(distractors, given.long - own):
        entries.append(line)
        names.append(name)
    begun = time.perf_counter()
    found = _scored(entries, np.array(names), model, np.arange(len(entries)) < own)
    evidence = GroupEvidence(model, prototypes(entries), centred=True)
    labels = most_probable_writers(evidence, LinkPrior(one_pair_prior(len(entries))))
    return found | {
        "distractors": len(entries) - own,
        "distractors_are": "lines of writers that the network was trained on",
        "groups": int((np.bincount(labels) > 1).sum()),
        "seconds_of_comparison": round(time.perf_counter() - begun, 2),
    }


def _mean(values: list[float]) -> float:
    return round(float(np.mean(values)), 4)


if __name__ == "__main__":
    main()
