"""Isotonic calibration by pool adjacent violators (PAV): the best non-decreasing likelihood ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.labelled_scores import LabelledScores
from handshift.core.arrays import Floats


@dataclass(frozen=True, slots=True)
class Isotonic:
    """Posterior p at even prior odds, interpolated between knots, constant beyond; LR = p / (1 − p)."""

    scores: tuple[float, ...]
    posterior: tuple[float, ...]

    def log10_lr(self, scores: ArrayLike) -> Floats:
        """(cases,) → (cases,)."""
        p = np.interp(np.asarray(scores, float), self.scores, self.posterior)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log10(p) - np.log10(1 - p))

    @classmethod
    def fit(cls, known: LabelledScores, misleading: int = 1) -> Isotonic:
        """Pool adjacent violators, with `misleading` cases of the wrong class added beyond each extreme.

        With n cases the next may still be misleading; without the added cases the ratio is infinite beyond
        the overlap of the two groups.
        """
        from scipy.optimize import isotonic_regression

        edge = [known.scores.max() + 1] * misleading + [known.scores.min() - 1] * misleading
        scores = np.concatenate([known.scores, edge])
        truth = np.concatenate([known.first.astype(float), np.zeros(misleading), np.ones(misleading)])
        prior = truth.mean()
        weight = np.where(truth > 0, 1 - prior, prior)  # even prior odds
        knots, where = np.unique(scores, return_inverse=True)
        total = np.bincount(where, weights=weight)
        share = np.bincount(where, weights=weight * truth) / total
        p = isotonic_regression(share, weights=total).x
        # Only the ends of a constant stretch are kept.
        inner = np.zeros(p.size, bool)
        inner[1:-1] = (p[1:-1] == p[:-2]) & (p[1:-1] == p[2:])
        return cls(tuple(map(float, knots[~inner])), tuple(map(float, p[~inner])))
