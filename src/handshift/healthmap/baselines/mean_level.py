"""The trivial detector: how loud the whole map is. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats64 = NDArray[np.float64]


@dataclass(frozen=True)
class MeanLevel:
    """ln of the mean of a map, in standard deviations of normal maps.

    Runs differ in level for many reasons that are no fault. Whatever does not beat this has found the run.
    """

    normal: float
    spread: float
    either_way: bool = False
    """Whether quieter maps are odd too; published figures count louder ones only."""

    @classmethod
    def fit(cls, maps: NDArray[np.floating], *, either_way: bool = False) -> Self:
        """Learn the level of normal maps (N, H, W)."""
        levels = _levels(maps)
        return cls(float(levels.mean()), float(levels.std()) or 1.0, either_way)

    def scores(self, maps: NDArray[np.floating]) -> Floats64:
        """One number for each map: (B, H, W) → (B,)."""
        away = (_levels(maps) - self.normal) / self.spread
        return np.abs(away) if self.either_way else away


def _levels(maps: NDArray[np.floating]) -> Floats64:
    size = np.abs(np.asarray(maps, np.float64)).mean(axis=(1, 2))
    return np.asarray(np.log(np.maximum(size, 1e-12)), np.float64)
