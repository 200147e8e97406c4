"""Kernel-density calibration: the ratio of two Gaussian kernel density estimates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.labelled_scores import CalibrationError, LabelledScores
from handshift.core.arrays import Floats

_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Kernel:
    """LR = f₁(score) / f₂(score), f(s) = Σᵢ exp(−½ ((s − sᵢ)/h)²) / (n·h·√2π)."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    first_width: float
    second_width: float

    def log10_lr(self, scores: ArrayLike) -> Floats:
        """(cases,) → (cases,); constant beyond the calibration scores."""
        known = (*self.first, *self.second)
        within = np.clip(np.asarray(scores, float), min(known), max(known))
        ratio = _log_density(within, self.first, self.first_width) - _log_density(
            within, self.second, self.second_width
        )
        return np.asarray(ratio / np.log(10))

    @classmethod
    def fit(cls, known: LabelledScores) -> Kernel:
        """Widths by Silverman's rule, h = (4/3 · s⁵ / n)^(1/5)."""
        first, second = known.scores[known.first], known.scores[~known.first]
        if not first.std() or not second.std():
            raise CalibrationError("all scores of one proposition are equal: the kernel width is 0")
        width = [float((4 / 3 * group.std() ** 5 / group.size) ** 0.2) for group in (first, second)]
        return cls(tuple(map(float, first)), tuple(map(float, second)), *width)


def _log_density(at: Floats, known: tuple[float, ...], width: float) -> Floats:
    points = np.asarray(known)
    flat = np.atleast_1d(at).reshape(-1)
    found = np.empty(flat.size)
    for start in range(0, flat.size, _CHUNK):
        exponent = -0.5 * ((flat[start : start + _CHUNK, None] - points) / width) ** 2  # (cases, known)
        top = exponent.max(axis=1, keepdims=True)
        found[start : start + _CHUNK] = top[:, 0] + np.log(np.exp(exponent - top).sum(axis=1))
    return np.asarray(found - np.log(points.size * width * np.sqrt(2 * np.pi))).reshape(np.shape(at))
