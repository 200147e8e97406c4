"""Hands counted, words ascribed and pages linked, on documents put together of known writers' words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.calibrate_hands import page_kinds
from handshift.attribution.hand_count_calibration import HandCountCalibration
from handshift.attribution.page_hands import PageHands, analyse_page, page_hands
from handshift.attribution.page_linking import link_pages
from handshift.bag.pages import PageRows
from handshift.bag.shared_pages import SharedPage, SharedPages
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
    """All that telling the hands of words takes."""

    covariances: Plda
    context: PageCalibration
    hands: HandCountCalibration
    score: Score

    def page_hands(self, vectors: Vectors) -> PageHands:
        """As `handshift hands` does."""
        return page_hands(vectors, self.covariances, self.hands)


def validated_model(model: ShippedModel, threads: int = 1) -> ValidatedModel:
    """A shipped model's."""
    detector = model.detector(threads)
    return ValidatedModel(
        detector.covariances, model.context(), model.hands(), lambda words: detector.score(words).score
    )


@dataclass(frozen=True, slots=True)
class Counted:
    """Pages of one kind."""

    kind: str
    pages: int
    exact: Interval
    """Share of pages whose number of hands is told right."""
    told: tuple[int, ...]
    """How many pages were told to have 1 … 5 hands."""
    word_error: Interval
    """Share of words in the wrong hand, hands named as it suits best."""
    trivial_error: float
    """The same if all words are taken for one hand's."""


@dataclass(frozen=True, slots=True)
class Linked:
    """Documents of several pages, each page by one of a few people."""

    documents: int
    pages: int
    people: int
    f1: Interval
    """Of pairs of words put together, over all pages."""
    trivial_f1: float
    """The same if all pages are taken for one person's."""


def measured_counts(
    pages: Sequence[PageRows], vectors: Vectors, validated: ValidatedModel, each: int, seed: int
) -> list[Counted]:
    """Every kind of page that the collection allows."""
    rows: list[Counted] = []
    for kind, draw in page_kinds(SharedPages(pages, seed)).items():
        try:
            drawn = [draw() for _ in range(each)]
        except HandshiftError:
            continue
        rows.append(counted(kind, drawn, [validated.page_hands(vectors[page.rows]) for page in drawn], seed))
    return rows


def counted(kind: str, pages: Sequence[SharedPage], told: Sequence[PageHands], seed: int) -> Counted:
    """Compare what was told with the truth."""
    number = np.array([one.hands for one in told])
    right = number == np.array([page.count for page in pages])
    pairs = zip(pages, told, strict=True)
    error = np.array([assignment_error(page.truth, one.ascribed) for page, one in pairs])
    trivial = [assignment_error(page.truth, np.zeros(len(page.truth))) for page in pages]
    writers = np.array([page.writers[0] for page in pages])
    return Counted(
        kind,
        len(pages),
        _mean(writers, right.astype(float), seed),
        tuple(int((number == hands).sum()) for hands in range(1, 6)),
        _mean(writers, error, seed),
        float(np.mean(trivial)),
    )


def measured_links(
    pages: Sequence[PageRows],
    vectors: Vectors,
    validated: ValidatedModel,
    documents: int,
    seed: int,
    size: int = 20,
    writers: int = 3,
) -> Linked | None:
    """Documents of `size` pages by `writers` people; None where too few writers have pages enough."""
    rng = np.random.default_rng(seed)
    scores, trivial = [], []
    for _ in range(documents):
        chosen = _document(pages, rng, size, writers)
        if chosen is None:
            return None
        read = [analyse_page(vectors[page.rows], validated.covariances, validated.hands) for page in chosen]
        found, people = link_pages(read, validated.covariances, validated.hands)
        person = [own[one.ascribed] for own, one in zip(people, found, strict=True)]
        truth = np.concatenate([np.full(page.rows.size, number) for number, page in enumerate(chosen)])
        names = np.unique([page.writer for page in chosen], return_inverse=True)[1]
        scores.append(pairwise_f1(names[truth], np.concatenate(person)))
        trivial.append(pairwise_f1(names[truth], np.zeros(truth.size)))
    f1 = _mean(np.arange(documents), np.array(scores), seed)
    return Linked(documents, size, writers, f1, float(np.mean(trivial)))


def _document(
    pages: Sequence[PageRows], rng: np.random.Generator, size: int, people: int
) -> list[PageRows] | None:
    by_writer: dict[str, list[PageRows]] = {}
    for page in pages:
        by_writer.setdefault(page.writer, []).append(page)
    rich = sorted(name for name, own in by_writer.items() if len(own) >= -(-size // people))
    if len(rich) < people:
        return None
    chosen: list[PageRows] = []
    for place, name in enumerate(rng.choice(rich, size=people, replace=False)):
        own = by_writer[name]
        wanted = size // people + (place < size % people)
        chosen += [own[at] for at in rng.permutation(len(own))[:wanted]]
    return [chosen[at] for at in rng.permutation(len(chosen))]


def _mean(groups: NDArray[np.generic], values: NDArray[np.float64], seed: int) -> Interval:
    return bootstrap_interval(groups, lambda at: float(values[at].mean()), REPEATS, seed=seed)
