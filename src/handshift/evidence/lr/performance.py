"""How well likelihood ratios of known truth do, each figure with its interval over writers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.evidence.lr.labelled import Labelled
from handshift.metrics import Interval, UnmeasurableError, auroc, bootstrap_interval, cllr, cllr_cal, cllr_min

REPEATS = 300
CHANCES = 100


@dataclass(frozen=True, slots=True)
class Performance:
    """Of log10 LRs; the first proposition is the one that positive values support."""

    cases: tuple[int, int]
    """Where the first proposition is true, and where the second is."""
    writers: int
    cllr: Interval
    """Cost of the ratios; 1 is what saying nothing costs."""
    cllr_min: Interval
    """What is left after the best monotone recalibration: how well the two are separated."""
    cllr_cal: Interval
    """The part that better calibration could remove."""
    chance_cal: float
    """Cllr_cal that perfectly calibrated ratios would show on so many cases, because hindsight flatters."""
    misleading_first: Interval
    """Rate of ratios below 1 where the first proposition is true."""
    misleading_second: Interval
    """Rate of ratios above 1 where the second is true."""
    strongly_misleading: Interval
    """Rate of ratios that support the wrong side tenfold or more."""
    auc: Interval


def performance(known: Labelled, seed: int = 0) -> Performance:
    """Measure log10 LRs; `known.scores` are those, and writers are drawn again for the intervals."""
    weight, first = known.scores, known.first
    groups = known.writers if known.writers.size else np.arange(weight.size)

    def measured(figure: Callable[[NDArray[np.bool_], NDArray[np.float64]], float]) -> Interval:
        return bootstrap_interval(groups, lambda at: figure(first[at], weight[at]), REPEATS, seed=seed)

    return Performance(
        cases=(int(first.sum()), int((~first).sum())),
        writers=int(np.unique(groups).size),
        cllr=measured(cllr),
        cllr_min=measured(cllr_min),
        cllr_cal=measured(cllr_cal),
        chance_cal=chance_cal(known, seed),
        misleading_first=measured(lambda label, lr: _rate(lr[label] < 0)),
        misleading_second=measured(lambda label, lr: _rate(lr[~label] > 0)),
        strongly_misleading=measured(lambda label, lr: _rate(np.where(label, -lr, lr) >= 1)),
        auc=measured(auroc),
    )


def chance_cal(known: Labelled, seed: int = 0) -> float:
    """Mean Cllr_cal of these very ratios where they are true: labels drawn again and again as they say.

    A ratio LR at prior odds o, those of the cases, makes the first proposition true with LR·o / (1 + LR·o).
    Cases are drawn each by itself. Those of one writer resemble each other, so chance may do somewhat more.
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
