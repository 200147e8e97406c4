"""Making a model's detector and calibration from labelled pages of writers it was not trained on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.bag.drawing import Drawer
from handshift.bag.kinds import Kind
from handshift.bag.pages import PageRows, WordTable, pages_of
from handshift.bag.patterns import Block, Scattered
from handshift.bag.plan import Plan
from handshift.detect.combination import Combination, parts_of
from handshift.detect.covariance import CovarianceModel, Vectors, fit_covariances
from handshift.detect.network import NetworkDetector
from handshift.detect.scoring import score_bags
from handshift.detect.weighing import Weights, fit_weights
from handshift.error import HandshiftError
from handshift.evidence.context import Context, SizedCalibration
from handshift.evidence.lr import CalibrationError, Labelled
from handshift.evidence.lr.labelled import FEWEST_WRITERS
from handshift.evidence.verdict import Propositions

SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)
PATTERNS = (Block(), Block(), Block(), Scattered())
"""Insertions are rarely strewn."""
DIMENSIONS = 64
SHRINKAGE = 0.5
SIZES = (14, 30)
"""Consecutive words at which scores are calibrated, beside whole pages of more."""
_FOLDS = 5


def covariances_of(
    table: WordTable, vectors: Vectors, pages: Sequence[PageRows], dimensions: int = DIMENSIONS
) -> CovarianceModel:
    """The three-level model of these pages' words."""
    if len({page.writer for page in pages}) < 2:
        raise HandshiftError("covariances need pages of eight words or more by two writers at least")
    rows = np.concatenate([page.rows for page in pages])
    return fit_covariances(vectors[rows], table.writer[rows], table.session[rows], dimensions, SHRINKAGE)


def calibrate(
    table: WordTable,
    vectors: Vectors,
    writers: Sequence[str],
    *,
    model: str,
    population: str,
    seed: int,
    networks: Sequence[NetworkDetector] = (),
    dimensions: int = DIMENSIONS,
    bags: int = 1200,
) -> tuple[Combination, Context]:
    """Weigh partition ratio, leave-one-out evidence and networks, and say what the weighed score means.

    Covariances are fitted on all writers; weights and calibration on scores of writers left out fold by
    fold, because a model is surer of the writers it was fitted on than of any others. At each size `bags`
    bags are scored, half of them mixed, half of the others spliced from two sessions.
    """
    folds = list(writer_folds(writers, seed))
    sizes = _sizes(table, writers)
    scored: list[_Scored] = []
    for fold, (fitted, held_out) in enumerate(folds):
        covariances = covariances_of(table, vectors, pages_of(table, fitted), dimensions)
        parts = parts_of(covariances, networks).values()
        for words in sizes:
            pages = pages_of(table, held_out, fewest=words or max([8, *filter(None, sizes)]))
            drawn = _drawn(pages, words, bags // _FOLDS, np.random.default_rng([seed, fold, words or 0]))
            each = np.stack([score_bags(part, vectors, drawn).score for part in parts], axis=1)
            scored.append(_Scored(fold, words, drawn, each))
    propositions = Propositions(
        several_hands="Some of the page's words were written by another person than the rest.",
        one_hand="One person wrote all words of the page: on one day or, as probably, on two.",
        population=population,
    )
    context = Context(model, propositions, tuple(_calibration(scored, words) for words in sizes))
    everyone = covariances_of(table, vectors, pages_of(table, writers), dimensions)
    return Combination(everyone, networks, _weights(scored)), context


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the parts said of bags of one size by the writers left out of one fold."""

    fold: int
    words: int | None
    bags: BagSet
    each: NDArray[np.float64]
    """(bags, parts)"""


def _weights(scored: Sequence[_Scored]) -> Weights:
    each, size, label = (
        np.concatenate(column)
        for column in zip(*((s.each, s.bags.sizes, s.bags.label) for s in scored), strict=True)
    )
    return fit_weights(each, size, label)


def _calibration(scored: Sequence[_Scored], words: int | None) -> SizedCalibration:
    """Of bags of one size, each fold weighed as the other folds ask for."""
    own = [part for part in scored if part.words == words]
    weighed = [_weights([part for part in scored if part.fold != one.fold]) for one in own]
    score = [w.combine(one.each, one.bags.sizes) for w, one in zip(weighed, own, strict=True)]
    label, writer = (np.concatenate([getattr(one.bags, name) for one in own]) for name in ("label", "writer"))
    length = words or float(np.median(np.concatenate([one.bags.sizes for one in own])))
    return SizedCalibration.fit(length, Labelled(np.concatenate(score), label, writer))


def _sizes(table: WordTable, writers: Sequence[str]) -> list[int | None]:
    """Those that enough writers have pages of, fewest words first; None are whole pages longer than these."""
    longest: dict[str, int] = {}
    for page in pages_of(table, writers):
        longest[page.writer] = max(longest.get(page.writer, 0), page.rows.size)
    common = sorted(longest.values(), reverse=True)[: max(FEWEST_WRITERS, 3 * len(longest) // 4)]
    return [*(size for size in SIZES if common and size < common[-1]), None]


def _drawn(pages: Sequence[PageRows], words: int | None, bags: int, rng: np.random.Generator) -> BagSet:
    """Half mixed; of the rest half spliced from two days, where some writer has a text of two."""
    texts = {(page.writer, page.prompt) for page in pages}
    several = len({(page.writer, page.prompt, page.session) for page in pages}) > len(texts)
    kinds = {Kind.MIXED: 2, Kind.SINGLE: 1, Kind.SPLICED: 1} if several else {Kind.MIXED: 1, Kind.SINGLE: 1}
    plan = Plan(words, shares=SHARES, patterns=PATTERNS, kinds=kinds)
    return Drawer(pages, plan).draw(bags, rng)


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
