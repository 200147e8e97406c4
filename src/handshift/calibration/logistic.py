"""Logistic calibration: the log likelihood ratio is a linear function of the score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.labelled_scores import LabelledScores, NoEvidenceError
from handshift.core.arrays import Floats
from handshift.detect.logistic_regression import fit_logistic

_RIDGE = 1e-9
"""Keeps the slope finite for scores without overlap."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """log10 LR = slope · score + offset."""

    slope: float
    offset: float

    def log10_lr(self, scores: ArrayLike) -> Floats:
        """(cases,) → (cases,)."""
        return self.slope * np.asarray(scores, float) + self.offset

    @classmethod
    def fit(cls, known: LabelledScores, weight: Floats | None = None) -> Logistic:
        """Minimise cross-entropy at even prior odds, whatever the numbers of cases.

        Args:
            known: scores of both propositions.
            weight: (cases,) of each case within its proposition; all alike if None.

        Raises:
            NoEvidenceError: the slope is not positive.
        """
        mean, spread = known.scores.mean(), known.scores.std()
        weight, offset = fit_logistic(((known.scores - mean) / spread)[:, None], known.first, _RIDGE, weight)
        if weight[0] <= 0:
            raise NoEvidenceError("calibration scores fall with the evidence: are the two groups swapped?")
        slope = float(weight[0] / spread)
        return cls(float(slope / np.log(10)), float((offset - slope * mean) / np.log(10)))
