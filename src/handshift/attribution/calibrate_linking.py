"""Chooses how much of their session the pages of one person share, on documents of known writers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.link_prior import LinkPrior
from handshift.attribution.same_writer import SameWriter
from handshift.attribution.writer_clustering import cluster_writers
from handshift.bag.pages import PageRows
from handshift.calibration.calibrate_pairs import LONG_PAGE
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.pair_calibration import PairCalibration
from handshift.detect.plda import Plda
from handshift.embedding.prototypes import Prototypes, prototypes

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Grid of the shared part of the session variance."""
LONGEST, FEWEST = 10, 3
"""Pages of a document, and those that a writer needs for a document of one writer."""
MOST_WRITERS = 6
_FOLDS = 3

Draw = tuple[list[PageRows], str]
"""Pages of one document, and its kind."""


def calibrate_linking(data: CalibrationData, pairs: PairCalibration, each: int = 30) -> PairCalibration:
    """Choose `shared_session` by the share of documents whose pages are grouped without an error.

    Three kinds of documents count alike: pages of one writer, the same with one page by another, and pages of
    several writers. Three folds: documents of one third of the writers, compared with the PLDA of the others.

    Args:
        data: words of writers that the network was not trained on.
        pairs: the calibration of page pairs.
        each: documents of every kind, fold and database.

    Returns:
        The calibration with the share of most documents; the largest of several, which divides a writer's
        pages least. It is left as it is where no writer has three pages.
    """
    rng = np.random.default_rng(data.seed)
    right: dict[float, list[float]] = {share: [] for share in SHARES}
    drawn = [
        (_linked(draw, data), plda, kind)
        for pages, plda in _held_out(data)
        for draw, kind in _documents(pages, each, rng)
    ]
    kinds = sorted({kind for *_, kind in drawn})
    if len(kinds) < 3:
        return pairs
    for share in SHARES:
        tried = replace(pairs, shared_session=share)
        scores = [(kind, _is_right(document, SameWriter.of(plda, tried))) for document, plda, kind in drawn]
        right[share] = [float(np.mean([score for own, score in scores if own == kind])) for kind in kinds]
    best = max(SHARES, key=lambda share: (round(float(np.mean(right[share])), 4), share))
    return replace(pairs, shared_session=best)


Linked = tuple[Prototypes, NDArray[np.intp]]
"""Hands of a document, and the true writer of each."""


def _linked(pages: Sequence[PageRows], data: CalibrationData) -> Linked:
    truth = np.unique([page.writer for page in pages], return_inverse=True)[1]
    return prototypes([data.vectors[page.rows] for page in pages]), truth


def _is_right(document: Linked, model: SameWriter) -> bool:
    hands, truth = document
    found = cluster_writers(GroupEvidence(model, hands), LinkPrior()).labels
    return bool(((found[:, None] == found) == (truth[:, None] == truth)).all())


def _held_out(data: CalibrationData) -> Iterator[tuple[list[PageRows], Plda]]:
    """Long pages of one third of the writers, by database, and the PLDA of the others."""
    for fold in range(_FOLDS):
        own = list(data.writers[fold::_FOLDS])
        plda = data.covariances([writer for writer in data.writers if writer not in own])
        pages = data.pages(own, LONG_PAGE)
        for database in sorted({page.database for page in pages}):
            yield [page for page in pages if page.database == database], plda


def _documents(pages: Sequence[PageRows], each: int, rng: np.random.Generator) -> Iterator[Draw]:
    """`each` documents of every kind that these pages allow."""
    owned: dict[str, dict[str, PageRows]] = {}
    for page in pages:  # a sheet that occurs twice, as a scan and as lines, is one
        owned.setdefault(page.writer, {}).setdefault(page.key or str(page.rows[0]), page)
    by_writer = {writer: list(own.values()) for writer, own in owned.items()}
    rich = [writer for writer, own in by_writer.items() if len(own) >= FEWEST]
    if not rich or len(by_writer) < 2:
        return
    for number in range(each):
        writer = rich[number % len(rich)]
        own = _some(by_writer[writer], LONGEST, rng)
        yield own, "one writer"
        other = str(rng.choice([name for name in by_writer if name != writer]))
        place = int(rng.integers(len(own)))
        stranger = _some(by_writer[other], 1, rng)
        yield [*own[:place], *stranger, *own[place + 1 :]], "one page by another"
        names = rng.permutation(list(by_writer))[: int(rng.integers(2, MOST_WRITERS + 1))]
        several = [page for name in names for page in _some(by_writer[name], int(rng.integers(1, 5)), rng)]
        yield several, "several writers"


def _some(pages: Sequence[PageRows], most: int, rng: np.random.Generator) -> list[PageRows]:
    return [pages[int(at)] for at in rng.permutation(len(pages))[:most]]
