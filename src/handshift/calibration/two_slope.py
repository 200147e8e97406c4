"""Two-slope calibration: the log likelihood ratio is linear in the score with one smooth change of slope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.logistic import Logistic
from handshift.core.arrays import Floats

_FREEDOM = 3.0
"""Bound on |ln(slope / slope of the logistic fit)|."""
_RIDGE = 1e-3
"""Ridge on that; keeps the curve straight for scores without overlap."""


@dataclass(frozen=True, slots=True)
class TwoSlope:
    """log10 LR = offset + low·s + (high − low)·b·ln(1 + exp((s − knot)/b)), rising throughout.

    Both classes are mixtures (one session or two, a large or a small foreign share), so the slope of ln LR
    differs between low and high scores; a single slope understates the evidence at one end.
    """

    offset: float
    low: float
    high: float
    """Slopes well below the knot and well above it, both positive."""
    knot: float
    breadth: float
    """Width of the transition, b."""

    def log10_lr(self, scores: ArrayLike) -> Floats:
        """(cases,) → (cases,)."""
        given = np.asarray(scores, float)
        above = self.breadth * np.logaddexp(0.0, (given - self.knot) / self.breadth)
        return np.asarray(self.offset + self.low * given + (self.high - self.low) * above)

    @classmethod
    def fit(cls, known: LabelledScores) -> TwoSlope:
        """Minimise cross-entropy at even prior odds by L-BFGS-B from the logistic fit, at two knots."""
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
        """Cross-entropy of the known cases in nats, and its gradient."""
        curve, first = self.at(change), self.known.first
        natural = np.log(10) * curve.log10_lr(self.known.scores)
        missed, misled = np.logaddexp(0.0, -natural[first]), np.logaddexp(0.0, natural[~first])
        residual = np.where(
            first, -_sigmoid(-natural) / missed.size, _sigmoid(natural) / misled.size
        ) * np.log(10)
        past = (self.known.scores - curve.knot) / curve.breadth
        above = curve.breadth * np.logaddexp(0.0, past)
        turn = self.line.slope - curve.low - (curve.high - curve.low) * _sigmoid(past)
        moved = (np.ones(first.size), curve.low * (curve.breadth * past - above), curve.high * above)
        slope = np.array([residual @ column for column in (*moved, self.spread * turn)])
        slope[1:3] += 2 * _RIDGE * change[1:3]
        return float(missed.mean() + misled.mean() + _RIDGE * np.square(change[1:3]).sum()), slope


def _sigmoid(odds: Floats) -> Floats:
    """1 / (1 + exp(−x)) without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(0.5 * odds)))
