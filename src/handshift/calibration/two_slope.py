"""Two-slope calibration: the log likelihood ratio as a line that changes its slope once, smoothly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.logistic import Logistic
from handshift.core.arrays import Floats

_FREEDOM = 3.0
"""How far either slope may leave the straight line's, as a natural logarithm."""
_RIDGE = 1e-3
"""On that; so that scores without any overlap bend no line."""


@dataclass(frozen=True, slots=True)
class TwoSlope:
    """log10 LR = offset + low·s + (high − low)·b·ln(1 + exp((s − knot)/b)), rising throughout.

    Both groups are mixed: pages by one person on one day and on two, pages with much and with little by
    another. What one score more is worth differs where one or the other prevails, and a straight line is too
    timid at one end.
    """

    offset: float
    low: float
    high: float
    """Slopes well below the knot and well above it, both positive."""
    knot: float
    breadth: float
    """Over which the slope changes, b."""

    def log10_lr(self, scores: ArrayLike) -> Floats:
        """(cases,) → (cases,)."""
        given = np.asarray(scores, float)
        above = self.breadth * np.logaddexp(0.0, (given - self.knot) / self.breadth)
        return np.asarray(self.offset + self.low * given + (self.high - self.low) * above)

    @classmethod
    def fit(cls, known: LabelledScores) -> TwoSlope:
        """Least cross-entropy at even prior odds, begun at the straight line's from two knots."""
        from scipy.optimize import minimize

        middle, spread = float(np.median(known.scores)), float(known.scores.std())
        search = _Search(known, Logistic.fit(known), middle, spread)
        limits = [(None, None), (-_FREEDOM, _FREEDOM), (-_FREEDOM, _FREEDOM), (-2.0, 2.0)]
        found = [
            minimize(search.cost, [0.0, 0.0, 0.0, knot], jac=True, method="L-BFGS-B", bounds=limits)
            for knot in (-0.5, 0.5)
        ]
        return search.at(min(found, key=lambda one: float(one.fun)).x)


@dataclass(frozen=True, slots=True)
class _Search:
    """A two-slope line as changes of a straight one: value at the knot, ln of each slope, knot."""

    known: LabelledScores
    line: Logistic
    middle: float
    spread: float
    """Of the scores: their median and standard deviation."""

    def at(self, change: Floats) -> TwoSlope:
        """The line after (up, low, high, knot), the knot in spreads from the middle."""
        up, low, high, knot = map(float, change)
        below, above = self.line.slope * np.exp(low), self.line.slope * np.exp(high)
        place = self.middle + self.spread * knot
        offset = self.line.offset + up + (self.line.slope - below) * place
        return TwoSlope(float(offset), float(below), float(above), place, self.spread / 2)

    def cost(self, change: Floats) -> tuple[float, Floats]:
        """Cross-entropy of the known cases in nats, and how it changes with each of the four."""
        bent, first = self.at(change), self.known.first
        natural = np.log(10) * bent.log10_lr(self.known.scores)
        missed, misled = np.logaddexp(0.0, -natural[first]), np.logaddexp(0.0, natural[~first])
        blame = np.where(first, -_share(-natural) / missed.size, _share(natural) / misled.size) * np.log(10)
        past = (self.known.scores - bent.knot) / bent.breadth
        above = bent.breadth * np.logaddexp(0.0, past)
        turn = self.line.slope - bent.low - (bent.high - bent.low) * _share(past)
        moved = (np.ones(first.size), bent.low * (bent.breadth * past - above), bent.high * above)
        slope = np.array([blame @ column for column in (*moved, self.spread * turn)])
        slope[1:3] += 2 * _RIDGE * change[1:3]
        return float(missed.mean() + misled.mean() + _RIDGE * np.square(change[1:3]).sum()), slope


def _share(odds: Floats) -> Floats:
    """1 / (1 + exp(−x)) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)))
