"""Fits a model's detector combination and page calibration on pages of writers it was not trained on."""

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
from handshift.calibration import Calibration, LabelledScores
from handshift.calibration.calibration_data import FOLDS, CalibrationData
from handshift.calibration.labelled_scores import FEWEST_WRITERS, NoEvidenceError
from handshift.calibration.page_calibration import PageCalibration, SizedCalibration
from handshift.calibration.propositions import Claim
from handshift.detect.combination import Combination, Weights, fit_weights, parts_of
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.plda import Plda
from handshift.detect.score_bags import score_bags

SHARES = (0.05, 0.1, 0.2, 0.3, 0.5)
"""Shares of words by another writer on which the combination is fitted, down to a single word."""
LEAST, FEWEST = 0.1, 3
"""Smallest share and number of words by another writer that the first proposition covers. One word of
fourteen is hardly ever detected; a proposition with such pages would make low scores weak evidence for one
hand."""
PATTERNS = (Block(), Block(), Block(), Scattered())
"""Insertions are rarely scattered."""
SIZES = (4, 8, 14, 30)
"""Consecutive words at which scores are calibrated, beside whole pages of more. The curve of 14 words is too
steep for fewer: four copies of one word had a log10 LR of -1.3 by it."""
WEIGHED = 14
"""Fewest words of the bags that the weights of the combination are fitted on."""


def calibrate(
    data: CalibrationData,
    *,
    networks: Sequence[NetworkDetector] = (),
    bags: int = 4000,
    covariances: Plda | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Combination, PageCalibration]:
    """Fit the combination of partition ratio, leave-one-out evidence and networks, and calibrate its score.

    PLDA is fitted on all writers; weights and calibration are fitted on scores of held-out writers in five
    folds, because scores on the fitted writers are overconfident. At each size `bags` bags are scored: half
    mixed, half of the others spliced from two sessions where there are any.

    Args:
        data: words of writers that the networks were not trained on.
        networks: trained detectors that join the combination.
        bags: bags drawn for each size.
        covariances: PLDA of the detector, where a model keeps its own; fitted on all writers if None.
        progress: receives a line after each fold.

    Returns:
        The detector, and the calibration of its score.

    Raises:
        CalibrationError: there are too few writers, or scores that cannot be calibrated.
    """
    folds = list(data.folds())
    sizes = _sizes(data)
    scored = _scored_folds(data, folds, networks, sizes, bags, progress)
    claim = Claim(LEAST, max(SHARES), FEWEST, days=2 if Kind.SPLICED in _kinds(data.pages()) else 1)
    calibrations = tuple(_calibration(scored, words, claim) for words in sizes)
    calibration = PageCalibration(data.model, claim.propositions(data.population), calibrations)
    return Combination(covariances or data.covariances(), networks, _weights(scored)), calibration


def fit_combination(
    data: CalibrationData, *, networks: Sequence[NetworkDetector] = (), bags: int = 4000
) -> Combination:
    """Fit the combination as `calibrate` does, for those who need no likelihood ratios."""
    folds = list(data.folds())
    sizes = [words for words in _sizes(data) if words is None or words >= WEIGHED]
    scored = _scored_folds(data, folds, networks, sizes, bags)
    return Combination(data.covariances(), networks, _weights(scored))


def _scored_folds(
    data: CalibrationData,
    folds: Sequence[tuple[list[str], list[str]]],
    networks: Sequence[NetworkDetector],
    sizes: Sequence[int | None],
    bags: int,
    progress: Callable[[str], None] = lambda _: None,
) -> list[_FoldScores]:
    """Bags of each size by the held-out writers of each fold, scored with the PLDA of the others."""
    scored = []
    for fold, (fitted, held_out) in enumerate(folds):
        parts = parts_of(data.covariances(fitted), networks).values()
        for words in sizes:
            pages = data.pages(held_out, fewest=words or max([8, *filter(None, sizes)]))
            plan = _plan(words, _kinds(pages))
            rng = np.random.default_rng([data.seed, fold, words or 0])
            drawn = Drawer(pages, plan).draw(bags // FOLDS, rng)
            each = np.stack([score_bags(part, data.vectors, drawn).score for part in parts], axis=1)
            scored.append(_FoldScores(fold, words, drawn, each))
        progress(f"pages scored, {fold + 1} of {FOLDS} parts")
    return scored


@dataclass(frozen=True, slots=True)
class _FoldScores:
    """The detectors' scores of bags of one size by the held-out writers of one fold."""

    fold: int
    words: int | None
    bags: BagSet
    each: NDArray[np.float64]
    """(bags, parts)"""

    def covered(self, claim: Claim) -> NDArray[np.bool_]:
        """(bags,) whether one of the propositions covers the bag."""
        sized = zip(self.bags.share, self.bags.sizes, strict=True)
        held = np.array([claim.holds(float(share), int(size)) for share, size in sized], bool)
        return np.asarray(held | ~np.asarray(self.bags.label, bool))


def _weights(scored: Sequence[_FoldScores]) -> Weights:
    long = [part for part in scored if part.words is None or part.words >= WEIGHED]
    each, size, label = (
        np.concatenate(column)
        for column in zip(*((s.each, s.bags.sizes, s.bags.label) for s in long), strict=True)
    )
    return fit_weights(each, size, label)


def _calibration(scored: Sequence[_FoldScores], words: int | None, claim: Claim) -> SizedCalibration:
    """Calibrate the covered bags of one size, each fold combined with the weights of the other folds.

    Where a few words carry nothing, their ratio is withheld; whole pages that carry nothing are an error.
    """
    own = [part for part in scored if part.words == words]
    weights = [_weights([part for part in scored if part.fold != one.fold]) for one in own]
    score = [w.combine(one.each, one.bags.sizes) for w, one in zip(weights, own, strict=True)]
    covered = np.concatenate([one.covered(claim) for one in own])
    label, writer, sizes = (
        np.concatenate([getattr(one.bags, name) for one in own])[covered]
        for name in ("label", "writer", "sizes")
    )
    length = words or float(np.median(sizes))
    known = LabelledScores(np.concatenate(score)[covered], label, writer)
    try:
        return SizedCalibration.fit(length, known)
    except NoEvidenceError:
        if words is None:
            raise
        return SizedCalibration.with_reference(length, Calibration.withheld(), known)


def _plan(words: int | None, kinds: dict[Kind, float]) -> Plan:
    """Shares of all sizes; on pages too short for these, the numbers of words that the proposition covers."""
    if words is None or words >= WEIGHED:
        return Plan(words, shares=SHARES, patterns=PATTERNS, kinds=kinds)
    covered = range(min(FEWEST, words // 2), words // 2 + 1)
    return Plan(words, foreign=tuple(covered), patterns=PATTERNS, kinds=kinds)


def _sizes(data: CalibrationData) -> list[int | None]:
    """Sizes that enough writers have pages of, ascending; None stands for whole pages longer than these."""
    longest: dict[str, int] = {}
    for page in data.pages():
        longest[page.writer] = max(longest.get(page.writer, 0), page.rows.size)
    common = sorted(longest.values(), reverse=True)[: max(FEWEST_WRITERS, 3 * len(longest) // 4)]
    return [*(size for size in SIZES if common and size < common[-1]), None]


def _kinds(pages: Sequence[PageRows]) -> dict[Kind, float]:
    """Half mixed; half of the rest spliced, where some writer has one text from two sessions."""
    texts = {(page.writer, page.prompt) for page in pages}
    several = len({(page.writer, page.prompt, page.session) for page in pages}) > len(texts)
    return {Kind.MIXED: 2, Kind.SINGLE: 1, Kind.SPLICED: 1} if several else {Kind.MIXED: 1, Kind.SINGLE: 1}
