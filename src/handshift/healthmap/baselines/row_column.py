"""Row/column statistic: a broken planet tooth raises a row of the map, a broken ring tooth a column."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_npz
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
        rows: Mean and σ of row profiles.
        columns: Mean and σ of column profiles.
    """

    usual: Floats64
    rows: tuple[float, float]
    columns: tuple[float, float]

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


@dataclass(frozen=True)
class RowColumnByDomain:
    """One `RowColumn` for each domain, as stored with a model.

    Attributes:
        by_domain: The detectors.
    """

    by_domain: dict[str, RowColumn]

    def of_domain(self, domain: str | None) -> RowColumn:
        """The domain's detector; for an unknown domain one with the mean of all parameters."""
        if domain in self.by_domain:
            return self.by_domain[domain]
        known = list(self.by_domain.values())
        rows, columns = (
            np.mean([getattr(detector, name) for detector in known], axis=0) for name in ("rows", "columns")
        )
        usual = np.mean([detector.usual for detector in known], axis=0)
        return RowColumn(usual, (float(rows[0]), float(rows[1])), (float(columns[0]), float(columns[1])))

    def save(self, path: Path) -> None:
        """Write the parameters as ``.npz``."""
        detectors = self.by_domain.values()
        buffer = BytesIO()
        np.savez(
            buffer,
            domains=np.array(list(self.by_domain), np.str_),
            usual=np.stack([detector.usual for detector in detectors]),
            rows=np.array([detector.rows for detector in detectors]),
            columns=np.array([detector.columns for detector in detectors]),
        )
        write_bytes(path, buffer.getvalue())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load what `save` wrote.

        Raises:
            HandshiftError: The file is missing or damaged.
        """
        try:
            stored = read_npz(path)
            parts = zip(stored["domains"], stored["usual"], stored["rows"], stored["columns"], strict=True)
            return cls(
                {
                    str(name): RowColumn(
                        usual, (float(rows[0]), float(rows[1])), (float(columns[0]), float(columns[1]))
                    )
                    for name, usual, rows, columns in parts
                }
            )
        except (LoadError, KeyError, IndexError, ValueError) as error:
            raise HandshiftError(f"{path}: not a row/column detector ({error}); train it again") from error


def _moments(profiles: Floats64) -> tuple[float, float]:
    return float(profiles.mean()), float(profiles.std()) or 1.0
