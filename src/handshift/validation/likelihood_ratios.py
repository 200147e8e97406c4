"""Performance of likelihood ratios on composed documents: Cllr, misleading evidence, AUC, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.bag.draw import Drawer
from handshift.bag.pages import PageRows
from handshift.bag.plan import Kind, Plan
from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.page_calibration import PageCalibration
from handshift.core.arrays import Vectors
from handshift.core.errors import HandshiftError
from handshift.metrics import Interval, UnmeasurableError, auroc, bootstrap_interval, cllr, cllr_cal, cllr_min

REPEATS = 300
CHANCES = 100


@dataclass(frozen=True, slots=True)
class Performance:
    """Of log10 LRs; positive values support the first proposition."""

    cases: tuple[int, int]
    """Where the first proposition is true, and where the second is."""
    writers: int
    cllr: Interval
    """Log-likelihood-ratio cost; 1 for ratios that are always 1."""
    cllr_min: Interval
    """Cllr after the best monotone recalibration (PAV): discrimination."""
    cllr_cal: Interval
    """Cllr − Cllr_min: calibration loss."""
    chance_cal: float
    """Expected Cllr_cal of perfectly calibrated ratios on this many cases, because PAV overfits."""
    misleading_first: Interval
    """Rate of ratios below 1 where the first proposition is true."""
    misleading_second: Interval
    """Rate of ratios above 1 where the second is true."""
    strongly_misleading: Interval
    """Rate of ratios of 10 or more for the wrong proposition."""
    auc: Interval


def performance(known: LabelledScores, seed: int = 0) -> Performance:
    """Measure log10 LRs of known truth.

    Args:
        known: log10 LRs as scores, their truth, and the writers that are resampled for the intervals.
        seed: of the bootstrap.
    """
    weight, first = known.scores, known.first
    groups = known.writers if known.writers.size else np.arange(weight.size)

    def interval(figure: Callable[[NDArray[np.bool_], NDArray[np.float64]], float]) -> Interval:
        return bootstrap_interval(groups, lambda at: figure(first[at], weight[at]), REPEATS, seed=seed)

    return Performance(
        cases=(int(first.sum()), int((~first).sum())),
        writers=int(np.unique(groups).size),
        cllr=interval(cllr),
        cllr_min=interval(cllr_min),
        cllr_cal=interval(cllr_cal),
        chance_cal=chance_cal(known, seed),
        misleading_first=interval(lambda label, lr: _rate(lr[label] < 0)),
        misleading_second=interval(lambda label, lr: _rate(lr[~label] > 0)),
        strongly_misleading=interval(lambda label, lr: _rate(np.where(label, -lr, lr) >= 1)),
        auc=interval(auroc),
    )


def chance_cal(known: LabelledScores, seed: int = 0) -> float:
    """Mean Cllr_cal of these ratios if they were perfectly calibrated, by drawing labels from them.

    A ratio LR at prior odds o, those of the cases, makes the first proposition true with LR·o / (1 + LR·o).
    Cases are drawn independently. Those of one writer are correlated, so the true value is somewhat larger.
    """
    rng = np.random.default_rng(seed)
    odds = known.first.sum() / max(1, (~known.first).sum())
    chance = 1 / (1 + 10.0**-known.scores / odds)
    drawn = (rng.random(chance.size) < chance for _ in range(CHANCES))
    found = [cllr_cal(label, known.scores) for label in drawn if 0 < label.sum() < label.size]
    return float(np.mean(found)) if found else float("nan")


def _rate(flags: NDArray[np.bool_]) -> float:
    if not flags.size:
        raise UnmeasurableError("no cases")
    return float(flags.mean())


Score = Callable[[Vectors], float]
"""The document score of words in reading order."""
LONG = 40
"""Words of a long page."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How documents are composed."""

    name: str
    words: int | None
    """Consecutive words; None takes whole pages."""
    shares: tuple[float, ...]
    """Shares of words by another writer, in one block, equally often."""
    fewest: int = 8
    """Words that a page must have."""


SETTINGS = (
    Setting("whole page, 10 %", None, (0.1,)),
    Setting("whole page, 20 %", None, (0.2,)),
    Setting("whole page, 30 %", None, (0.3,)),
    Setting("whole page, 10 to 50 %", None, (0.1, 0.2, 0.3, 0.5)),
    Setting(f"page of {LONG} words or more, 20 %", None, (0.2,), LONG),
    Setting("14 words, 30 %", 14, (0.3,)),
    Setting("14 words, 50 %", 14, (0.5,)),
    Setting("14 words, 20 to 50 %", 14, (0.2, 0.3, 0.5)),
)
"""The first proposition covers several shares: at a single share the ratios need not be calibrated."""


@dataclass(frozen=True, slots=True)
class SettingPerformance:
    """One setting: ratios against pages of one session, against spliced pages, and against both."""

    setting: Setting
    single: Performance
    spliced: Performance | None
    """None where no writer has a text from two sessions."""
    both: Performance
    known: LabelledScores
    """log10 LRs of all documents."""
    words: float
    """Median number of words of a document."""


def measure_ratios(
    pages: Sequence[PageRows],
    vectors: Vectors,
    score: Score,
    calibration: PageCalibration,
    each: int,
    seed: int,
    settings: Sequence[Setting] = SETTINGS,
) -> Iterator[SettingPerformance]:
    """Measure every setting that the pages allow on `each` documents of every kind."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([seed, number])
        own = [page for page in pages if page.rows.size >= max(setting.fewest, setting.words or 0)]
        weights: dict[Kind, LabelledScores] = {}
        words: list[int] = []
        for kind in (Kind.MIXED, Kind.SINGLE, Kind.SPLICED):
            try:
                plan = Plan(setting.words, shares=setting.shares, kinds={kind: 1})
                bags = Drawer(own, plan).draw(each, rng)
                weights[kind] = _log10_lrs(bags, vectors, score, calibration)
                words += [int(bag.rows.size) for bag in bags]
            except HandshiftError:
                continue
        if Kind.MIXED in weights and Kind.SINGLE in weights:
            yield _setting_performance(setting, weights, float(np.median(words)), seed)


def _setting_performance(
    setting: Setting, weights: dict[Kind, LabelledScores], words: float, seed: int
) -> SettingPerformance:
    mixed, single, spliced = (weights.get(kind) for kind in (Kind.MIXED, Kind.SINGLE, Kind.SPLICED))
    assert mixed is not None and single is not None
    both = mixed.joined(single) if spliced is None else mixed.joined(single).joined(spliced)
    return SettingPerformance(
        setting,
        performance(mixed.joined(single), seed),
        None if spliced is None else performance(mixed.joined(spliced), seed),
        performance(both, seed),
        both,
        words,
    )


def _log10_lrs(bags: BagSet, vectors: Vectors, score: Score, calibration: PageCalibration) -> LabelledScores:
    scores = np.array([score(vectors[bag.rows]) for bag in bags])
    words = np.array([bag.rows.size for bag in bags])
    return LabelledScores(
        calibration.log10_lr(scores, words), np.asarray(bags.label, bool), np.asarray(bags.writer, np.str_)
    )
