"""Making a model's detector and calibration from labelled pages of writers it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.bag.draw import Drawer
from handshift.bag.pages import PageRows
from handshift.bag.patterns import Block, Scattered
from handshift.bag.plan import Kind, Plan
from handshift.calibration import LabelledScores
from handshift.calibration.calibration_data import FOLDS, CalibrationData
from handshift.calibration.labelled_scores import FEWEST_WRITERS
from handshift.calibration.page_calibration import PageCalibration, SizedCalibration
from handshift.calibration.propositions import Claim
from handshift.detect.combination import Combination, Weights, fit_weights, parts_of
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.score_bags import score_bags

SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)
"""Of words by another person, on which detectors are weighed; a detector should hear a single word, too."""
LEAST, FEWEST = 0.1, 3
"""From which share and number of words on the first proposition speaks of them. One word of fourteen is
hardly ever heard; a proposition that holds such pages makes silence say little for one hand."""
PATTERNS = (Block(), Block(), Block(), Scattered())
"""Insertions are rarely strewn."""
SIZES = (14, 30)
"""Consecutive words at which scores are calibrated, beside whole pages of more."""


def calibrate(
    known: CalibrationData,
    *,
    networks: Sequence[NetworkDetector] = (),
    bags: int = 4000,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Combination, PageCalibration]:
    """Weigh partition ratio, leave-one-out evidence and networks, and say what the weighed score means.

    Covariances are fitted on all writers; weights and calibration on scores of writers left out fold by
    fold, because a model is surer of the writers it was fitted on than of any others. At each size `bags`
    bags are scored, half of them mixed, half of the others spliced from two sessions.
    """
    folds = list(known.folds())
    sizes = _sizes(known)
    scored: list[_Scored] = []
    for fold, (fitted, held_out) in enumerate(folds):
        parts = parts_of(known.covariances(fitted), networks).values()
        for words in sizes:
            pages = known.pages(held_out, fewest=words or max([8, *filter(None, sizes)]))
            plan = Plan(words, shares=SHARES, patterns=PATTERNS, kinds=_kinds(pages))
            rng = np.random.default_rng([known.seed, fold, words or 0])
            drawn = Drawer(pages, plan).draw(bags // FOLDS, rng)
            each = np.stack([score_bags(part, known.vectors, drawn).score for part in parts], axis=1)
            scored.append(_Scored(fold, words, drawn, each))
        progress(f"pages scored, {fold + 1} of {FOLDS} parts")
    claim = Claim(LEAST, max(SHARES), FEWEST, days=2 if Kind.SPLICED in _kinds(known.pages()) else 1)
    calibrations = tuple(_calibration(scored, words, claim) for words in sizes)
    context = PageCalibration(known.model, claim.propositions(known.population), calibrations)
    return Combination(known.covariances(), networks, _weights(scored)), context


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the parts said of bags of one size by the writers left out of one fold."""

    fold: int
    words: int | None
    bags: BagSet
    each: NDArray[np.float64]
    """(bags, parts)"""

    def meant(self, claim: Claim) -> NDArray[np.bool_]:
        """(bags,) whether a bag is such as one of the propositions speaks of."""
        sized = zip(self.bags.share, self.bags.sizes, strict=True)
        held = np.array([claim.holds(float(share), int(size)) for share, size in sized], bool)
        return np.asarray(held | ~np.asarray(self.bags.label, bool))


def _weights(scored: Sequence[_Scored]) -> Weights:
    each, size, label = (
        np.concatenate(column)
        for column in zip(*((s.each, s.bags.sizes, s.bags.label) for s in scored), strict=True)
    )
    return fit_weights(each, size, label)


def _calibration(scored: Sequence[_Scored], words: int | None, claim: Claim) -> SizedCalibration:
    """Of those bags of one size that are claimed, each fold weighed as the other folds ask for."""
    own = [part for part in scored if part.words == words]
    weighed = [_weights([part for part in scored if part.fold != one.fold]) for one in own]
    score = [w.combine(one.each, one.bags.sizes) for w, one in zip(weighed, own, strict=True)]
    meant = np.concatenate([one.meant(claim) for one in own])
    label, writer, sizes = (
        np.concatenate([getattr(one.bags, name) for one in own])[meant]
        for name in ("label", "writer", "sizes")
    )
    length = words or float(np.median(sizes))
    return SizedCalibration.fit(length, LabelledScores(np.concatenate(score)[meant], label, writer))


def _sizes(known: CalibrationData) -> list[int | None]:
    """Those that enough writers have pages of, fewest words first; None are whole pages longer than these."""
    longest: dict[str, int] = {}
    for page in known.pages():
        longest[page.writer] = max(longest.get(page.writer, 0), page.rows.size)
    common = sorted(longest.values(), reverse=True)[: max(FEWEST_WRITERS, 3 * len(longest) // 4)]
    return [*(size for size in SIZES if common and size < common[-1]), None]


def _kinds(pages: Sequence[PageRows]) -> dict[Kind, float]:
    """Half mixed; of the rest half spliced from two days, where some writer has a text of two."""
    texts = {(page.writer, page.prompt) for page in pages}
    several = len({(page.writer, page.prompt, page.session) for page in pages}) > len(texts)
    return {Kind.MIXED: 2, Kind.SINGLE: 1, Kind.SPLICED: 1} if several else {Kind.MIXED: 1, Kind.SINGLE: 1}
