"""Bent calibration: the log likelihood ratio as a line that changes its slope once, smoothly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.evidence.lr.labelled import Floats, Labelled
from handshift.evidence.lr.logistic import Logistic

_FREEDOM = 3.0
"""How far either slope may leave the straight line's, as a natural logarithm."""
_RIDGE = 1e-3
"""On that; so that scores without any overlap bend no line."""


@dataclass(frozen=True, slots=True)
class Bent:
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
    def fit(cls, known: Labelled) -> Bent:
        """Least cross-entropy at even prior odds, begun at the straight line's."""
        from scipy.optimize import minimize

        line = Logistic.fit(known)
        spread = float(known.scores.std())
        middle = float(np.median(known.scores))

        def at(parameters: Floats) -> Bent:
            offset, low, high, knot = parameters
            below, above = (line.slope * float(np.exp(change)) for change in (low, high))
            place = float(middle + spread * knot)
            # The value at the knot is what is fitted: it hardly depends on the slopes.
            base = line.offset + float(offset) + (line.slope - below) * place
            return cls(base, below, above, place, spread / 2)

        def cost(parameters: Floats) -> float:
            natural = np.log(10) * at(parameters).log10_lr(known.scores)
            missed = np.logaddexp(0.0, -natural[known.first]).mean()
            misled = np.logaddexp(0.0, natural[~known.first]).mean()
            return float(missed + misled + _RIDGE * np.square(parameters[1:3]).sum())

        limits = [(None, None), (-_FREEDOM, _FREEDOM), (-_FREEDOM, _FREEDOM), (-2.0, 2.0)]
        found = [
            minimize(cost, [0.0, 0.0, 0.0, knot], method="L-BFGS-B", bounds=limits) for knot in (-0.5, 0.5)
        ]
        return at(min(found, key=lambda one: float(one.fun)).x)
