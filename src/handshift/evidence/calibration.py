"""From a score to a likelihood ratio, within what the calibration data can support."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Calibration:
    """log10 LR = slope · score + offset, held within bounds."""

    slope: float
    offset: float
    lowest: float
    highest: float

    def log10_lr(self, score: float) -> float:
        """The calibrated weight of a score."""
        return float(np.clip(self.slope * score + self.offset, self.lowest, self.highest))


def fit_calibration(several_hands: Floats, one_hand: Floats) -> Calibration:
    """Logistic regression at even prior odds, with bounds from the same scores."""
    several, one = np.asarray(several_hands, float), np.asarray(one_hand, float)
    for name, scores in (("several-hand", several), ("one-hand", one)):
        if scores.size < 20 or not np.isfinite(scores).all():
            raise ValueError(f"calibration needs at least 20 finite {name} scores, got {scores.size}")
    if np.ptp(np.concatenate([several, one])) == 0:
        raise ValueError("calibration scores are all equal: they say nothing")

    from scipy.optimize import minimize  # only fitting needs it, and examining should start at once

    def cost(parameters: Floats) -> float:
        slope, offset = parameters
        return float(
            np.logaddexp(0, -(slope * several + offset)).mean() + np.logaddexp(0, slope * one + offset).mean()
        )

    slope, offset = minimize(cost, np.array([0.1, 0.0]), method="Nelder-Mead").x
    if slope <= 0:
        raise ValueError("calibration scores fall with the evidence: are the two groups swapped?")
    lowest, highest = lr_bounds(several, one)
    return Calibration(float(slope / np.log(10)), float(offset / np.log(10)), lowest, highest)


def lr_bounds(several: Floats, one: Floats) -> tuple[float, float]:
    """Smallest and largest log10 LR the data support.

    One more page of the wrong kind is imagined at each extreme, and the best monotone LR is taken: with n
    pages nobody can claim that the next one is not misleading.
    """
    from scipy.optimize import isotonic_regression

    margin = 1.0 + np.ptp(np.concatenate([several, one]))
    top, bottom = max(several.max(), one.max()) + margin, min(several.min(), one.min()) - margin
    scores = np.concatenate([several, one, [top, bottom]])
    truth = np.concatenate([np.ones(several.size), np.zeros(one.size), [0.0, 1.0]])
    order = np.argsort(scores, kind="stable")
    posterior = isotonic_regression(truth[order]).x
    odds = posterior / (1 - posterior) * (one.size + 1) / (several.size + 1)
    return float(np.log10(odds[0])), float(np.log10(odds[-1]))
