"""Bootstrap band of a calibration curve over resampled writers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.labelled_scores import CalibrationError, LabelledScores, NoEvidenceError
from handshift.core.arrays import Floats
from handshift.metrics import draw_groups

KNOTS = 41
DRAWS = 200
LEVEL = 0.95

Curve = Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Band:
    """Lower and upper log10 LR at knots; linearly interpolated between them, constant beyond."""

    scores: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    def at(self, score: float) -> tuple[float, float]:
        """The interval of one score's log10 LR."""
        low, high = (float(np.interp(score, self.scores, side)) for side in (self.low, self.high))
        return low, high


def bootstrap_band(known: LabelledScores, fitted: Callable[[LabelledScores], Curve], seed: int = 0) -> Band:
    """Refit the calibration on writers drawn with replacement, each with all their cases.

    Args:
        known: labelled scores with their writers.
        fitted: fits one sample and returns its curve.
        seed: of the draws.

    Raises:
        NoEvidenceError: fewer than half of the draws could be calibrated.
    """
    knots = np.unique(np.quantile(known.scores, np.linspace(0, 1, KNOTS)))
    curves = list(_drawn(known, fitted, knots, seed))
    if 2 * len(curves) < DRAWS:
        raise NoEvidenceError(
            f"only {len(curves)} of {DRAWS} draws of writers could be calibrated: give more writers"
        )
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(np.array(curves), [tail, 1 - tail], axis=0)
    return Band(*(tuple(map(float, row)) for row in (knots, low, high)))


def _drawn(
    known: LabelledScores, fitted: Callable[[LabelledScores], Curve], at: Floats, seed: int
) -> Iterator[NDArray[np.float64]]:
    """Curves of the draws that can be calibrated; some have one class only, or a negative slope."""
    for rows in draw_groups(known.writers, DRAWS, seed):
        sample = known.taken(rows)
        if not sample.first.any() or sample.first.all():
            continue
        try:
            yield fitted(sample)(at)
        except CalibrationError:
            continue
