"""PCA of row levels, for maps whose rows are order bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.pca import Subspace

VARIANCE = 0.9
MIN_SIGMA = 1e-3
"""Lower bound of the standard deviation of ln(row level), for rows that never varied in training."""


@dataclass(frozen=True)
class RowLevels:
    """PCA reconstruction error of x = (ln rms of each row − μ)/σ."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    space: Subspace

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Fit to normal maps (N, H, W)."""
        levels = row_levels(maps)
        mean, spread = levels.mean(axis=0), np.maximum(levels.std(axis=0), MIN_SIGMA)
        return cls(mean, spread, Subspace.fit(((levels - mean) / spread).astype(np.float32), VARIANCE))

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(B, H, W) → (B,)."""
        standard = ((row_levels(maps) - self.mean) / self.spread).astype(np.float32)
        return self.space.reconstruction_error(standard).astype(np.float64)


def row_levels(maps: NDArray[np.floating]) -> NDArray[np.float64]:
    """ln rms of each row, (B, H, W) → (B, H)."""
    power = (np.asarray(maps, np.float64) ** 2).mean(axis=2)  # (B, H)
    return np.asarray(np.log(np.maximum(power, 1e-24)) / 2, np.float64)
