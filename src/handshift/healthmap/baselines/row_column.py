"""Row/column statistic: a broken planet tooth raises a row of the map, a broken ring tooth a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.which_tooth import Floats64, column_profile, row_profile


@dataclass(frozen=True)
class RowColumn:
    """Score = max over rows and columns of (profile − mean)/σ.

    Maps are divided by their level and by the usual value of each pixel. Mean and σ are those of the profiles
    of normal maps, pooled over all rows and over all columns, so that the score does not depend on the tooth
    at which counting began.

    Attributes:
        usual: Mean of ln(pixel/level) over normal maps, (H, W).
        rows: Mean and σ of row profiles.
        columns: Mean and σ of column profiles.
    """

    usual: Floats64
    rows: tuple[float, float]
    columns: tuple[float, float]

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Fit to normal maps (N, H, W)."""
        usual = np.asarray(_levelled(maps).mean(axis=0), np.float64)
        rest = np.exp(_levelled(maps) - usual)
        return cls(usual, _moments(row_profile(rest)), _moments(column_profile(rest)))

    def standardised(self, maps: NDArray[np.floating]) -> tuple[Floats64, Floats64]:
        """z-scores of all rows and columns, (B, H) and (B, W)."""
        rest = np.exp(_levelled(maps) - self.usual)
        rows, columns = row_profile(rest), column_profile(rest)
        return (rows - self.rows[0]) / self.rows[1], (columns - self.columns[0]) / self.columns[1]

    def scores(self, maps: NDArray[np.floating]) -> Floats64:
        """(B, H, W) → (B,)."""
        rows, columns = self.standardised(maps)
        return np.asarray(np.maximum(rows.max(axis=1), columns.max(axis=1)), np.float64)


def _levelled(maps: NDArray[np.floating]) -> Floats64:
    logarithm = np.log(np.maximum(np.asarray(maps, np.float64), 1e-12))
    return np.asarray(logarithm - np.median(logarithm, axis=(1, 2), keepdims=True), np.float64)


def _moments(profiles: Floats64) -> tuple[float, float]:
    return float(profiles.mean()), float(profiles.std()) or 1.0
