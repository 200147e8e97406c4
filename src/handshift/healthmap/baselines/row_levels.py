"""How loud each row is, whatever the column: for maps whose rows are bands of orders. Numpy only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.pca import Subspace

VARIANCE = 0.9
FAINTEST = 1e-3
"""Least standard deviation of ln of a row's level: a row that never changed in training is still no law."""


@dataclass(frozen=True)
class RowLevels:
    """Remainder of x = (ln rms of each row − μ)/σ outside the directions in which normal maps vary."""

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    space: Subspace

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Learn from normal maps (N, H, W)."""
        levels = _levels(maps)
        mean, spread = levels.mean(axis=0), np.maximum(levels.std(axis=0), FAINTEST)
        return cls(mean, spread, Subspace.of(((levels - mean) / spread).astype(np.float32), VARIANCE))

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """One remainder for each map: (B, H, W) → (B,)."""
        standard = ((_levels(maps) - self.mean) / self.spread).astype(np.float32)
        return self.space.remainder(standard).astype(np.float64)


def _levels(maps: NDArray[np.floating]) -> NDArray[np.float64]:
    power = (np.asarray(maps, np.float64) ** 2).mean(axis=2)  # (B, H)
    return np.asarray(np.log(np.maximum(power, 1e-24)) / 2, np.float64)
