"""Whose hand is it? Test writers enrolled with three pages of one session, asked from other sessions.

Queries never share session or prompt with the enrolled pages where the writer leaves that choice: two of the
three prompts are enrolled, queries hold the third. Open set: half of the writers are not enrolled, drawn
repeatedly.

Example: python benchmarks/identification.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from known_writers import known_writers, known_writers_benchmark
from numpy.typing import NDArray

from handshift.attribution.identification import posterior
from handshift.bag.pages import PageRows, pages_of
from handshift.calibration.pair_calibration import words_of_pair
from handshift.detect.plda import log_ratios
from handshift.embedding.prototypes import Aggregation, Prototypes, prototypes
from handshift.metrics import bootstrap_interval
from handshift.models.shipped_models import ShippedModel

SEED = 2026
ENROLLED_PAGES = 3
FALSE_ACCEPTS = 0.01
PRIOR = 0.5  # half of the writers are enrolled


@dataclass(frozen=True)
class Task:
    """Enrolled pages of each writer, and query pages."""

    enrolled: dict[str, list[PageRows]]
    queries: list[PageRows]


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument(
        "--rounds", type=int, default=20, help="times writers are drawn to be enrolled"
    )
    given = benchmark.begin()
    known = known_writers(given)
    table, writers, model, vectors = known.table, known.writers, known.model, known.vectors
    result: dict[str, object] = {
        "model": model.card.id,
        "part": given.part,
        "writers": len(writers),
        "enrolled_pages": ENROLLED_PAGES,
        "seed": SEED,
        "rounds": given.rounds,
    }
    pages = pages_of(table, writers, fewest=5)
    for name, words in (("page", None), ("5 words", 5)):
        result[name] = {
            how.value: _measure(pages, vectors, model, words, how, given.rounds) for how in Aggregation
        }
    benchmark.write(result)


def _measure(
    pages: list[PageRows],
    vectors: NDArray[np.float32],
    model: ShippedModel,
    words: int | None,
    how: Aggregation,
    rounds: int,
) -> dict[str, Any]:
    """Rank-1 with everybody enrolled, and open-set errors with half of them."""
    rng = np.random.default_rng(SEED)
    asked = [_round(_task(pages, rng), vectors, model, words, how, rng) for _ in range(rounds)]
    who, rank, enrolled, accepted, right, confidence = (
        np.concatenate(one) for one in zip(*asked, strict=True)
    )
    people = len({page.writer for page in pages})
    return {
        "queries": len(rank),
        "people_enrolled": people,
        "people_asked_about": int(np.unique(who).size),
        "rank_1": _share(rank == 1, who),
        "rank_5": _share(rank <= 5, who),
        "chance": {"rank_1": round(1 / people, 4), "rank_5": round(5 / people, 4)},
        "open_set_half_enrolled": {
            "wanted_false_accepts": FALSE_ACCEPTS,
            "false_accepts": _share(accepted[~enrolled], who[~enrolled]),
            "false_rejects": _share(~accepted[enrolled], who[enrolled]),
            "wrong_names": _share((accepted & ~right)[enrolled], who[enrolled]),
            "chance": {"false_accepts": FALSE_ACCEPTS, "false_rejects": 1 - FALSE_ACCEPTS},
            "mean_confidence_of_the_first": round(float(confidence.mean()), 4),
            "share_of_the_first_right": round(float(right.mean()), 4),
        },
    }


def _round(
    task: Task,
    vectors: NDArray[np.float32],
    model: ShippedModel,
    words: int | None,
    how: Aggregation,
    rng: np.random.Generator,
) -> tuple[NDArray[Any], ...]:
    """One draw of pages: each query's writer, its rank among all, and the decision of half a gallery."""
    names = np.array(sorted(task.enrolled))
    gallery = prototypes(
        [np.concatenate([vectors[page.rows] for page in task.enrolled[name]]) for name in names], how
    )
    queries = prototypes([vectors[_some(page.rows, words, rng)] for page in task.queries], how)
    truth = np.array([page.writer for page in task.queries])
    weight, log10_lr = _weights(queries, gallery, model)
    own = weight[np.arange(len(truth)), np.searchsorted(names, truth)]
    rank = (weight > own[:, None]).sum(axis=1) + 1
    half = np.sort(rng.permutation(len(names))[: len(names) // 2])
    best = weight[:, half].argmax(axis=1)
    accepted = weight[:, half].max(axis=1) >= _thresholds(queries, gallery[half], best, model)
    confidence = [
        posterior(lr, PRIOR, len(half))[0][first] for lr, first in zip(log10_lr[:, half], best, strict=True)
    ]
    right = names[half][best] == truth
    return truth, rank, np.isin(truth, names[half]), accepted, right, np.array(confidence)


def _task(pages: list[PageRows], rng: np.random.Generator) -> Task:
    """Three pages of one session and two prompts; queries of other sessions and the third prompt.

    Writers with one session only are enrolled with what they have, and not asked about.
    """
    enrolled, queries = {}, []
    for writer in sorted({page.writer for page in pages}):
        own = [page for page in pages if page.writer == writer]
        session = rng.choice(sorted({page.session for page in own}))
        prompt = rng.choice(sorted({page.prompt for page in own}))
        known = [page for page in own if page.session == session and page.prompt != prompt]
        asked = [page for page in own if page.session != session and page.prompt == prompt]
        if len(known) >= ENROLLED_PAGES and asked:
            queries += asked
        else:
            known = own
        enrolled[writer] = [known[at] for at in rng.permutation(len(known))[:ENROLLED_PAGES]]
    return Task(enrolled, queries)


def _some(rows: NDArray[np.int64], words: int | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """All, or a run of consecutive words."""
    if words is None or rows.size <= words:
        return rows
    start = int(rng.integers(rows.size - words + 1))
    return rows[start : start + words]


def _weights(
    queries: Prototypes, gallery: Prototypes, model: ShippedModel
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(queries, people) log10 LR, without bounds as `identify` ranks by it, and with them."""
    context = model.comparison()
    covariances = context.widened(model.covariances())
    weights, bounded = [], []
    for at in range(len(queries)):
        query = queries[at : at + 1]
        size = words_of_pair(query.counts, gallery.counts)
        score = log_ratios(query, gallery, covariances)
        weights.append(context.weight(score, size))
        bounded.append(context.log10_lr(score, size))
    return np.array(weights), np.array(bounded)


def _thresholds(
    queries: Prototypes, gallery: Prototypes, best: NDArray[np.intp], model: ShippedModel
) -> NDArray[np.float64]:
    """The log10 LR that each query's best candidate must reach."""
    context = model.comparison()
    size = words_of_pair(queries.counts, gallery.counts[best])
    return np.array([context.threshold(float(one), len(gallery), FALSE_ACCEPTS) for one in size])


def _share(hits: NDArray[np.bool_], writers: NDArray[np.str_]) -> dict[str, object]:
    found = bootstrap_interval(writers, lambda at: float(hits[at].mean()), repeats=300, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


if __name__ == "__main__":
    main()
