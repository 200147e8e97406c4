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
from handshift.evidence.context import Context, SizedCalibration
from handshift.evidence.lr import CalibrationError, Labelled
from handshift.evidence.lr.labelled import FEWEST_WRITERS
from handshift.evidence.verdict import Propositions

SHARES = (0.1, 0.2, 0.3, 0.5)
DIMENSIONS = 48
SIZES = (14, 30)
"""Consecutive words at which scores are calibrated, beside whole pages of more."""
_FOLDS = 5


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
    folds = list(writer_folds(writers, seed))
    known = dict.fromkeys(_sizes(table, writers))
    lengths: list[int] = []
    for fitted, held_out in folds:
        covariances = covariances_of(table, vectors, pages_of(table, fitted), dimensions)
        for words in known:
            pages = pages_of(table, held_out, fewest=words or max([8, *filter(None, known)]))
            drawn = _drawn(Mixer(pages, seed), words, max(1, bags // _FOLDS // len(SHARES)))
            lengths += [bag.rows.size for bag in drawn if words is None]
            scored = Labelled(
                scores_of(drawn, vectors, covariances),
                np.array([bag.label for bag in drawn]),
                np.array([bag.writer for bag in drawn]),
            )
            before = known[words]
            known[words] = scored if before is None else before.joined(scored)
    sizes = [
        SizedCalibration.fit(words or float(np.median(lengths)), labelled)
        for words, labelled in known.items()
        if labelled is not None
    ]
    propositions = Propositions(
        several_hands="A block of the page's words was written by another person than the rest.",
        one_hand="One person wrote all words of the page: on one day or, as probably, on two.",
        population=population,
    )
    context = Context(model, propositions, tuple(sizes))
    return covariances_of(table, vectors, pages_of(table, writers), dimensions), context


def _sizes(table: WordTable, writers: Sequence[str]) -> list[int | None]:
    """Those that enough writers have pages of, fewest words first; None are whole pages longer than these."""
    longest: dict[str, int] = {}
    for page in pages_of(table, writers):
        longest[page.writer] = max(longest.get(page.writer, 0), page.rows.size)
    common = sorted(longest.values(), reverse=True)[: max(FEWEST_WRITERS, 3 * len(longest) // 4)]
    return [*(size for size in SIZES if common and size < common[-1]), None]


def _drawn(mixer: Mixer, words: int | None, each: int) -> list[Bag]:
    """`each` bags by several hands at every share, and as many by one, half of them spliced from two days."""
    bags = []
    for share in SHARES:
        bags += mixer.draw(Kind.MIXED, each, share, words)
        bags += mixer.draw(Kind.SINGLE, each // 2, share, words)
        bags += mixer.draw(Kind.SPLICED, each - each // 2, share, words)
    return bags


def writer_folds(writers: Sequence[str], seed: int) -> Iterator[tuple[list[str], list[str]]]:
    """Divide writers into those fitted on and those left out, five times."""
    if len(writers) < FEWEST_WRITERS:
        raise CalibrationError(
            f"calibration needs pages by at least {FEWEST_WRITERS} writers, got {len(writers)}"
        )
    order = np.random.default_rng(seed).permutation(len(writers))
    for fold in range(_FOLDS):
        held_out = {int(index) for index in order[fold::_FOLDS]}
        yield (
            [writer for index, writer in enumerate(writers) if index not in held_out],
            [writer for index, writer in enumerate(writers) if index in held_out],
        )
