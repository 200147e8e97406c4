"""Number of hands and attribution of words, beside two clusterings; time of a document.

Pages are composed of vectors; with those of `handshift corpus embed` nothing is cut or embedded again.
Documents of twenty pages are read from their files.

Example: python benchmarks/hands.py --data ../shared/data/csafe --vectors runs/vectors
"""

from __future__ import annotations

import os
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from known_writers import KnownWriters, known_writers, known_writers_benchmark
from sklearn.cluster import AgglomerativeClustering, SpectralClustering

from handshift.attribution.calibrate_hands import page_kinds
from handshift.attribution.page_hands import page_hands
from handshift.bag.pages import PageRows, pages_of
from handshift.bag.shared_pages import SharedPage, SharedPages
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Sample
from handshift.metrics import assignment_error, bootstrap_interval, pairwise_f1
from handshift.pipeline.hand_finder import HandFinder

SEED = 2026
MOST = 5
THRESHOLDS = np.linspace(0.2, 1.4, 25)
GAPS = np.linspace(0.0, 0.4, 21)
Method = Callable[[np.ndarray], np.ndarray]


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--pages", type=int, default=60, help="pages of each kind")
    benchmark.options.add_argument("--documents", type=int, default=5, help="documents of twenty files")
    given = benchmark.begin()
    known = known_writers(given)
    tuned = known_writers(given, part="validation")
    methods: dict[str, Method] = {
        "handshift": handshift_method(known),
        "agglomerative, cosine": tune(tuned, THRESHOLDS, agglomerative),
        "spectral, eigengap": tune(tuned, GAPS, spectral),
    }
    pages = drawn(pages_of(known.table, known.writers), given.pages)
    result: dict[str, Any] = {
        "model": known.model.card.id,
        "part": given.part,
        "writers": len(known.writers),
        "seed": SEED,
        "chosen_on_validation": {name: m.keywords for name, m in methods.items() if hasattr(m, "keywords")},
        "pages": {kind: measured(own, known.vectors, methods) for kind, own in pages.items()},
        "documents": documents(given, known),
    }
    exact = {
        name: np.mean([result["pages"][kind][name]["exact"]["value"] for kind in ("one", "2", "3", "4")])
        for name in methods
    }
    result["exact_over_1_2_3_4"] = {name: round(float(value), 4) for name, value in exact.items()}
    benchmark.write(result)


def handshift_method(known: KnownWriters) -> Method:
    covariances, context = known.model.covariances(), known.model.hands()
    return lambda words: page_hands(words, covariances, context).ascribed


def agglomerative(words: np.ndarray, threshold: float) -> np.ndarray:
    """Average linkage of cosine distances, cut at a threshold."""
    model = AgglomerativeClustering(None, metric="cosine", linkage="average", distance_threshold=threshold)
    return np.minimum(model.fit_predict(words), MOST - 1)


def spectral(words: np.ndarray, gap: float) -> np.ndarray:
    """As many groups as eigenvalues of the normalised Laplacian before its largest gap, if that is one."""
    unit = words / np.linalg.norm(words, axis=1, keepdims=True)
    affinity = (1 + unit @ unit.T) / 2
    degree = 1 / np.sqrt(affinity.sum(axis=1))
    values = np.sort(np.linalg.eigvalsh(degree[:, None] * affinity * degree))[::-1]
    steps = values[:MOST] - values[1 : MOST + 1]
    number = 1 + int(steps[1:].argmax() + 1) if steps[1:].max() >= gap * steps[0] else 1
    if number == 1:
        return np.zeros(len(words), int)
    return SpectralClustering(number, affinity="precomputed", random_state=0).fit_predict(affinity)


class Tuned:
    """A method with its parameter."""

    def __init__(self, method: Callable[[np.ndarray, float], np.ndarray], value: float) -> None:
        self.method, self.keywords = method, {"parameter": round(float(value), 4)}

    def __call__(self, words: np.ndarray) -> np.ndarray:
        return self.method(words, self.keywords["parameter"])


def tune(known: KnownWriters, values: np.ndarray, method: Callable[[np.ndarray, float], np.ndarray]) -> Tuned:
    """The parameter that counts most validation pages of 1, 2, 3 and 4 hands right."""
    pages = drawn(pages_of(known.table, known.writers), 15)
    own = [page for kind in ("one", "spliced", "2", "3", "4") for page in pages[kind]]
    right = [
        np.mean([len(set(method(known.vectors[page.rows], value))) == page.count for page in own])
        for value in values
    ]
    return Tuned(method, values[int(np.argmax(right))])


def drawn(pages: Sequence[PageRows], each: int) -> dict[str, list[SharedPage]]:
    kinds = page_kinds(SharedPages(pages, SEED))
    return {name: [draw() for _ in range(each)] for name, draw in kinds.items()}


def measured(pages: Sequence[SharedPage], vectors: np.ndarray, methods: dict[str, Method]) -> dict[str, Any]:
    found: dict[str, object] = {"pages": len(pages)}
    writers = np.array([page.writers[0] for page in pages])
    for name, method in methods.items():
        labelled = [method(vectors[page.rows]) for page in pages]
        number = np.array([len(set(labels.tolist())) for labels in labelled])
        pairs = list(zip(pages, labelled, strict=True))
        right = np.array([float(count == page.count) for count, page in zip(number, pages, strict=True)])
        error = np.array([assignment_error(page.truth, labels) for page, labels in pairs])
        found[name] = {
            "exact": interval(writers, right),
            "word_error": interval(writers, error),
            "counts": [int((number == k).sum()) for k in range(1, MOST + 1)],
        }
    found["all as one hand"] = {
        "word_error": round(
            float(np.mean([assignment_error(page.truth, np.zeros(len(page.truth))) for page in pages])), 4
        )
    }
    return found


def documents(given: Namespace, known: KnownWriters) -> dict[str, Any]:
    """Documents of twenty pages by three writers, from the files: F1 of word pairs, and the time it takes."""
    rng = np.random.default_rng(SEED)
    corpus = read_corpus(given.data)
    own = {writer.rpartition("/")[2] for writer in known.writers}  # as the database itself names them
    by_writer = {name: [page for page in corpus.samples if page.writer == name] for name in sorted(own)}
    rich = [name for name, pages in by_writer.items() if len(pages) >= 20]
    each = [document(given, drawn_document(by_writer, rich, rng)) for _ in range(given.documents)]
    f1 = [one["pairwise_f1"] for one in each]
    return {
        "pages": 20,
        "writers": 3,
        "mean_f1": round(float(np.mean(f1)), 4),
        "least_f1": min(f1),
        "slowest_seconds": max(one["seconds"] for one in each),
        "threads": given.threads,
        "each": each,
    }


def drawn_document(
    by_writer: dict[str, list[Sample]], rich: list[str], rng: np.random.Generator
) -> list[Sample]:
    chosen: list[Sample] = []
    for place, name in enumerate(rng.choice(rich, size=3, replace=False)):
        own = by_writer[name]
        chosen += [own[at] for at in rng.permutation(len(own))[: 7 - (place == 2)]]
    return [chosen[at] for at in rng.permutation(len(chosen))]


def document(given: Namespace, pages: list[Sample]) -> dict[str, float]:
    begun, busy = time.perf_counter(), time.process_time()
    found = HandFinder(given.model, given.threads).hands([page.path for page in pages])
    seconds, cpu_seconds = time.perf_counter() - begun, time.process_time() - busy
    truth = [page.writer for page, one in zip(pages, found.pages, strict=True) for _ in one.hands]
    hands = [hand for one in found.pages for hand in one.hands]
    return {
        "hands_found": len(found.hands),
        "pairwise_f1": round(pairwise_f1(truth, hands), 4),
        "all_as_one_hand_f1": round(pairwise_f1(truth, ["A"] * len(truth)), 4),
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu_seconds, 2),
        "load_average": round(os.getloadavg()[0], 1),
    }


def interval(writers: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    found = bootstrap_interval(writers, lambda at: float(values[at].mean()), repeats=300, seed=SEED)
    return {"value": round(found.value, 4), "interval": [round(found.low, 4), round(found.high, 4)]}


if __name__ == "__main__":
    main()
