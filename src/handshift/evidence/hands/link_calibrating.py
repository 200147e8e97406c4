"""Learning from which evidence on hands of two pages are one person's, from documents of known writers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.bag.pages import PageRows
from handshift.detect.covariance import CovarianceModel, Vectors
from handshift.evidence.hands.linking import Samples, linked
from handshift.evidence.hands.settings import Settings
from handshift.evidence.hands.words import words_of_page
from handshift.evidence.lr import CalibrationError
from handshift.metrics.pairwise import pairwise_f1

LINKS, FACTORS = np.arange(-6.0, 12.5, 0.5), (1.0, 2.0, 4.0, 8.0, 16.0)
"""Tried: thresholds of linking, and how much more a person's pages differ than the covariances' sessions.
Far below even odds a hand of few words, of which little is known, would be joined with any other."""
_DOCUMENTS, _PAGES, _PEOPLE = 24, 12, 3

Third = tuple[list[PageRows], CovarianceModel]
"""Pages of some writers, and covariances of others."""


def fit_links(parts: Sequence[Third], vectors: Vectors, settings: Settings, seed: int) -> tuple[float, float]:
    """Threshold and session factor that link pages of documents by three writers best: highest mean F1."""
    pages_each = Counter(page.writer for pages, _ in parts for page in pages)
    if sum(count > 1 for count in pages_each.values()) < 2 * _PEOPLE:
        return 0.0, 1.0  # too few writers of several pages to learn from: even odds
    rng = np.random.default_rng(seed)
    score = np.zeros((len(FACTORS), len(LINKS)))
    for _ in range(_DOCUMENTS):
        pages, covariances = parts[int(rng.integers(len(parts)))]
        chosen, truth = _document(pages, rng)
        words = [words_of_page(vectors[page.rows], covariances, settings) for page in chosen]
        counts = np.array([page.count.sum() for page in words])
        means = np.array([page.pull.sum(axis=0) for page in words]) / counts[:, None]
        samples = Samples(means, counts, np.arange(len(words)))
        for row, factor in enumerate(FACTORS):
            found = [linked(samples, covariances, factor, float(link)) for link in LINKS]
            score[row] += [pairwise_f1(truth, labels) for labels in found]
    # A narrow peak is luck: each threshold is judged together with those within two of it.
    level = np.array([np.convolve(row, np.ones(9) / 9, "valid") for row in score])
    row = int(level.max(axis=1).argmax())
    best = np.flatnonzero(level[row] >= level[row].max() - 1e-9)
    return float(LINKS[4:-4][best].mean()), FACTORS[row]


def _document(
    pages: Sequence[PageRows], rng: np.random.Generator
) -> tuple[list[PageRows], NDArray[np.int64]]:
    """Pages by a few people, each page by one, people alike often."""
    by_writer: dict[str, list[PageRows]] = {}
    for page in pages:
        by_writer.setdefault(page.writer, []).append(page)
    rich = sorted(name for name, own in by_writer.items() if len(own) > 1)
    if len(rich) < 2:
        raise CalibrationError("hands are linked on two writers at least with several pages each")
    people = rng.choice(rich, size=min(_PEOPLE, len(rich)), replace=False)
    chosen: list[PageRows] = []
    for name in people:
        own = by_writer[name]
        some = rng.permutation(len(own))[: _PAGES // len(people)]
        chosen += [own[at] for at in some]
    names = np.array([page.writer for page in chosen])
    return chosen, np.asarray(np.unique(names, return_inverse=True)[1], np.int64)
