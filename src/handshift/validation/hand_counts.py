"""Accuracy of hand counts, word assignment and page linking on composed documents of known writers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.calibrate_hands import page_kinds
from handshift.attribution.hand_count_calibration import HandCountCalibration
from handshift.attribution.link_prior import LinkPrior
from handshift.attribution.page_hands import PageHands, analyse_page, page_hands
from handshift.attribution.page_linking import VectorPage, link_pages
from handshift.attribution.same_writer import SameWriter
from handshift.bag.pages import PageRows
from handshift.bag.shared_pages import SharedPage, SharedPages
from handshift.bag.writer_documents import draw_document, pages_by_writer
from handshift.calibration.page_calibration import PageCalibration
from handshift.core.arrays import Vectors
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda
from handshift.metrics import Interval, assignment_error, bootstrap_interval, pairwise_f1
from handshift.models.shipped_models import ShippedModel
from handshift.validation.likelihood_ratios import Score

REPEATS = 300


@dataclass(frozen=True, slots=True)
class ValidatedModel:
    """The parts of a model that validation runs."""

    plda: Plda
    calibration: PageCalibration
    hands: HandCountCalibration
    score: Score
    same_writer: SameWriter | None = None
    """None where the model was never calibrated for comparing pages."""

    def page_hands(self, vectors: Vectors) -> PageHands:
        """As `handshift hands` estimates them."""
        return page_hands(vectors, self.plda, self.hands)


def validated_model(model: ShippedModel, threads: int = 1) -> ValidatedModel:
    """The parts of a shipped model."""
    detector = model.detector(threads)
    return ValidatedModel(
        detector.covariances,
        model.context(),
        model.hands(),
        lambda words: detector.score(words).score,
        SameWriter.of(detector.covariances, model.comparison()) if model.compares else None,
    )


@dataclass(frozen=True, slots=True)
class HandCounts:
    """Composed pages of one kind: numbers of hands and assignments of words."""

    kind: str
    pages: int
    exact: Interval
    """Share of pages whose number of hands is right."""
    estimated: tuple[int, ...]
    """Number of pages for which 1 … 5 hands were estimated."""
    word_error: Interval
    """Share of words assigned to the wrong hand, under the best matching of hands."""
    trivial_error: float
    """The same if all words are assigned to one hand."""


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Documents of several pages, each page by one of a few writers."""

    documents: int
    pages: int
    people: int
    f1: Interval
    """Pairwise F1 of words assigned to one writer, over all pages."""
    trivial_f1: float
    """The same if all pages are assigned to one writer."""


def measure_counts(
    pages: Sequence[PageRows], vectors: Vectors, validated: ValidatedModel, each: int, seed: int
) -> list[HandCounts]:
    """Measure every kind of composed page that the collection allows."""
    rows: list[HandCounts] = []
    for kind, draw in page_kinds(SharedPages(pages, seed)).items():
        try:
            drawn = [draw() for _ in range(each)]
        except HandshiftError:
            continue
        rows.append(
            count_errors(kind, drawn, [validated.page_hands(vectors[page.rows]) for page in drawn], seed)
        )
    return rows


def count_errors(kind: str, pages: Sequence[SharedPage], found: Sequence[PageHands], seed: int) -> HandCounts:
    """Compare the estimated hands with the truth."""
    number = np.array([one.hands for one in found])
    right = number == np.array([page.count for page in pages])
    pairs = zip(pages, found, strict=True)
    error = np.array([assignment_error(page.truth, one.ascribed) for page, one in pairs])
    trivial = [assignment_error(page.truth, np.zeros(len(page.truth))) for page in pages]
    writers = np.array([page.writers[0] for page in pages])
    return HandCounts(
        kind,
        len(pages),
        _mean(writers, right.astype(float), seed),
        tuple(int((number == hands).sum()) for hands in range(1, 6)),
        _mean(writers, error, seed),
        float(np.mean(trivial)),
    )


def measure_links(
    pages: Sequence[PageRows],
    vectors: Vectors,
    validated: ValidatedModel,
    documents: int,
    seed: int,
    size: int = 20,
    writers: int = 3,
) -> PageLinks | None:
    """Pairwise F1 on documents of `size` pages by `writers` writers; None where too few have enough pages."""
    by_writer = pages_by_writer(pages, -(-size // writers))
    if len(by_writer) < writers or validated.same_writer is None:
        return None
    rng = np.random.default_rng(seed)
    counts = [size // writers + (place < size % writers) for place in range(writers)]
    scores, trivial = [], []
    for _ in range(documents):
        drawn = draw_document(by_writer, counts, rng)
        chosen = [drawn[at] for at in rng.permutation(len(drawn))]
        analysed = [
            VectorPage(analyse_page(own, validated.plda, validated.hands), own)
            for own in (vectors[page.rows] for page in chosen)
        ]
        linked = link_pages(analysed, validated.same_writer, LinkPrior())
        assigned = [own[one.ascribed] for own, one in zip(linked.writers, linked.hands, strict=True)]
        page_of = np.concatenate([np.full(page.rows.size, number) for number, page in enumerate(chosen)])
        truth = np.unique([page.writer for page in chosen], return_inverse=True)[1][page_of]
        scores.append(pairwise_f1(truth, np.concatenate(assigned)))
        trivial.append(pairwise_f1(truth, np.zeros(truth.size)))
    f1 = _mean(np.arange(documents), np.array(scores), seed)
    return PageLinks(documents, size, writers, f1, float(np.mean(trivial)))


def _mean(groups: NDArray[np.generic], values: NDArray[np.float64], seed: int) -> Interval:
    return bootstrap_interval(groups, lambda at: float(values[at].mean()), REPEATS, seed=seed)
