"""Making a model's covariances and calibration from labelled pages of writers it was not trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import Bag
from handshift.bag.kinds import Kind
from handshift.bag.mixing import Mixer
from handshift.bag.pages import PageRows, WordTable, pages_of
from handshift.detect.covariance import CovarianceModel, Vectors, fit_covariances
from handshift.detect.detector import detect
from handshift.error import HandshiftError
from handshift.evidence.calibration import fit_calibration
from handshift.evidence.context import Context
from handshift.evidence.verdict import Propositions, Reference

SHARES = (0.1, 0.2, 0.3, 0.5)
DIMENSIONS = 48
_FOLDS = 5
_FEWEST_WRITERS = 10
"""Fewer writers cannot be divided into folds that each still tell writers apart."""


def scores_of(bags: Sequence[Bag], vectors: Vectors, model: CovarianceModel) -> NDArray[np.float64]:
    """The document score of every bag."""
    return np.array([detect(vectors[bag.rows], model).score for bag in bags])


def covariances_of(
    table: WordTable, vectors: Vectors, pages: Sequence[PageRows], dimensions: int = DIMENSIONS
) -> CovarianceModel:
    """The three-level model of these pages' words."""
    if len({page.writer for page in pages}) < 2:
        raise HandshiftError("covariances need pages of eight words or more by two writers at least")
    rows = np.concatenate([page.rows for page in pages])
    return fit_covariances(vectors[rows], table.writer[rows], table.session[rows], dimensions)


def calibrate(
    table: WordTable,
    vectors: Vectors,
    writers: Sequence[str],
    *,
    model: str,
    population: str,
    seed: int,
    dimensions: int = DIMENSIONS,
    bags: int = 600,
) -> tuple[CovarianceModel, Context]:
    """Fit covariances on all writers, and the calibration on scores of writers left out fold by fold.

    Left out, because a model is surer of the writers its covariances were fitted on than of any others.
    """
    several: list[NDArray[np.float64]] = []
    one: list[NDArray[np.float64]] = []
    for fitted, held_out in writer_folds(writers, seed):
        covariances = covariances_of(table, vectors, pages_of(table, fitted), dimensions)
        mixer = Mixer(pages_of(table, held_out), seed)
        each = max(1, bags // _FOLDS // len(SHARES))
        for share in SHARES:
            several.append(scores_of(mixer.draw(Kind.MIXED, each, share), vectors, covariances))
            one.append(scores_of(mixer.draw(Kind.SINGLE, each // 2, share), vectors, covariances))
            one.append(scores_of(mixer.draw(Kind.SPLICED, each - each // 2, share), vectors, covariances))
    mixed, single = np.concatenate(several), np.concatenate(one)
    context = Context(
        model,
        fit_calibration(mixed, single),
        Propositions(
            several_hands="A block of the page's words was written by another person than the rest.",
            one_hand="One person wrote all words of the page, on one day or on two.",
            population=population,
        ),
        Reference(tuple(map(float, single)), tuple(map(float, mixed))),
    )
    return covariances_of(table, vectors, pages_of(table, writers), dimensions), context


def writer_folds(writers: Sequence[str], seed: int) -> Iterator[tuple[list[str], list[str]]]:
    """Divide writers into those fitted on and those left out, five times."""
    if len(writers) < _FEWEST_WRITERS:
        raise HandshiftError(
            f"calibration needs pages by at least {_FEWEST_WRITERS} writers, got {len(writers)}"
        )
    order = np.random.default_rng(seed).permutation(len(writers))
    for fold in range(_FOLDS):
        held_out = {int(index) for index in order[fold::_FOLDS]}
        yield (
            [writer for index, writer in enumerate(writers) if index not in held_out],
            [writer for index, writer in enumerate(writers) if index in held_out],
        )
