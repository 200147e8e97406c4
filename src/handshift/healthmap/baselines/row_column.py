"""Row/column statistic: a broken planet tooth raises a row of the map, a broken ring tooth a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.standardisation import standardise, usual_pixels
from handshift.healthmap.which_tooth import Floats64, column_profile, row_profile


@dataclass(frozen=True)
class RowColumn:
    """Score = max over rows and columns of (profile − mean)/σ of the standardised map.

    Each map is divided by its own noise (`standardise`): one σ for cold and warm maps would let the noise of
    the warm ones hide the faults of the cold ones. Mean and σ are those of the profiles of normal maps,
    pooled over all rows and over all columns, so that the score does not depend on the tooth at which
    counting began.

    Attributes:
        usual: Usual pixels of normal maps, (H, W).
        rows: Mean and σ of row profiles, (2,).
        columns: Mean and σ of column profiles, (2,).
    """

    usual: Floats64
    rows: Floats64
    columns: Floats64

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Fit to normal maps (N, H, W)."""
        usual = usual_pixels(maps)
        z = standardise(maps, usual)
        return cls(usual, _moments(row_profile(z)), _moments(column_profile(z)))

    def standardised(self, maps: NDArray[np.floating]) -> tuple[Floats64, Floats64]:
        """z-scores of all rows and columns, (B, H) and (B, W)."""
        z = standardise(maps, self.usual)
        rows, columns = row_profile(z), column_profile(z)
        return (rows - self.rows[0]) / self.rows[1], (columns - self.columns[0]) / self.columns[1]

    def scores(self, maps: NDArray[np.floating]) -> Floats64:
        """(B, H, W) → (B,)."""
        rows, columns = self.standardised(maps)
        return np.asarray(np.maximum(rows.max(axis=1), columns.max(axis=1)), np.float64)

    def anomaly_maps(self, maps: NDArray[np.floating]) -> Floats64:
        """Standardised pixels above 0, (B, H, W)."""
        return np.maximum(standardise(maps, self.usual), 0)


def _moments(profiles: Floats64) -> Floats64:
    return np.array([profiles.mean(), profiles.std() or 1.0])
