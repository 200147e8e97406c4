"""Mahalanobis distance of row levels, for maps whose rows are order bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.row_levels import row_levels

SHRINKAGE = 0.6
"""Of the covariance towards its mean variance. A few hundred maps of 192 bands do not determine a covariance,
and the operating points it was fitted at are not those of the next recording. Chosen on sensors a1 to a3 of
the real gearbox, load held out, maps of one turn: mean AUROC .951 at 0.02, .966 at 0.1, .976 at 0.3, .982 at
0.6 and at 0.9. Ledoit and Wolf's own shrinkage is far smaller: it assumes test maps of the same loads."""
SMALLEST = 1e-6
"""Lower bound of the mean variance of ln(row level)."""


@dataclass(frozen=True)
class RowCovariance:
    """(x − μ)ᵀ Σ⁻¹ (x − μ), x = ln rms of each row, Σ = (1 − s)·S + s·(tr S/H)·I.

    Unlike the PCA of `RowLevels` it weighs every direction by how much normal maps vary along it, so that the
    directions in which loads differ count little instead of not at all. Where all rows vary together by far
    more than each by itself, that common level sets tr S, and single rows are found better by `RowLevels`.
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    """Σ, (H, H)."""

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Fit to normal maps (N, H, W)."""
        levels = row_levels(maps)
        mean = levels.mean(axis=0)
        deviations = levels - mean
        covariance = deviations.T @ deviations / max(1, len(levels) - 1)
        variance = max(float(np.trace(covariance)) / len(mean), SMALLEST)
        return cls(mean, (1 - SHRINKAGE) * covariance + SHRINKAGE * variance * np.eye(len(mean)))

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(B, H, W) → (B,)."""
        return np.asarray(self._shares(maps).sum(axis=1), np.float64)

    def anomaly_maps(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """Share of each row in the score, where it is above 0, in every pixel of the row: (B, H, W)."""
        shares = np.maximum(self._shares(maps), 0)
        return np.repeat(shares[:, :, None], maps.shape[2], axis=2)

    def _shares(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(x − μ)·Σ⁻¹(x − μ) by row, (B, H)."""
        deviations = row_levels(maps) - self.mean
        return np.asarray(deviations * np.linalg.solve(self.covariance, deviations.T).T, np.float64)
