"""Attribution of an anomaly map to a tooth: robust z-scores of its row and column profiles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats64 = NDArray[np.float64]
TOP_SHARE = 0.25
"""Share of a row or column whose largest values count: a planet is near the sensor only while passing."""


def row_profile(maps: NDArray[np.floating]) -> Floats64:
    """Mean of the largest quarter of every row minus its lower quartile, (…, H, W) → (…, H).

    The quartile is subtracted because healthy teeth differ in level along the whole row, whereas a broken
    tooth shows in some contacts only.
    """
    lines = np.asarray(maps, np.float64)
    count = max(1, round(TOP_SHARE * lines.shape[-1]))
    largest = np.partition(lines, -count, axis=-1)[..., -count:].mean(axis=-1)
    return np.asarray(largest - np.quantile(lines, 0.25, axis=-1), np.float64)


def column_profile(maps: NDArray[np.floating]) -> Floats64:
    """`row_profile` of the columns, (…, H, W) → (…, W)."""
    return row_profile(np.swapaxes(maps, -1, -2))


MIN_STRENGTH = 5.5
"""Robust z-score from which a tooth is named; 95 % of simulated normal maps stay below."""
MAD_TO_SIGMA = 1.4826
"""Of a normal distribution: σ = 1.4826 · median absolute deviation."""


class Axis(StrEnum):
    """Axis of the map along which a tooth lies."""

    ROW = "row"
    """A tooth of the planet or the pinion; of the sun, if it has as many teeth as the planet."""
    COLUMN = "column"
    """A tooth of the ring; on a map of turns, one turn."""


@dataclass(frozen=True, slots=True)
class Tooth:
    """A row or column with an anomalous profile."""

    axis: Axis
    number: int
    """From 0."""
    strength: float
    """Robust z-score among the rows or columns of the map."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """Robust z-scores of the row and column profiles of one map."""

    rows: Floats64
    """(H,)."""
    columns: Floats64
    """(W,)."""

    @property
    def tooth(self) -> Tooth | None:
        """The row or column with the largest z-score; None if it stays below `MIN_STRENGTH`."""
        axis, profile = max(
            ((Axis.ROW, self.rows), (Axis.COLUMN, self.columns)), key=lambda line: float(line[1].max())
        )
        strength = float(profile.max())
        return Tooth(axis, _middle_of_peak(profile), strength) if strength >= MIN_STRENGTH else None


def which_tooth(anomaly: NDArray[np.floating], values: NDArray[np.floating] | None = None) -> Attribution:
    """Attribute an anomaly map to its rows and columns.

    Args:
        anomaly: Anomaly of each pixel, (H, W), in any unit.
        values: The map itself, (H, W). A network sees patches of several teeth and its anomaly map is no
            finer; with ``values`` the anomaly map is weighted by how far each pixel exceeds the medians of
            its row and column, which resolves single teeth.

    Returns:
        The z-scores of all rows and columns.
    """
    weighted = np.asarray(anomaly, np.float64)
    if values is not None:
        excess = _excess_over_medians(np.asarray(values, np.float64))
        weighted = np.maximum(weighted - np.median(weighted), 0) * excess
    return Attribution(_robust_z(row_profile(weighted)), _robust_z(column_profile(weighted)))


def _excess_over_medians(values: Floats64) -> Floats64:
    """Excess of ln(pixel) over the medians of its column and row, at least 0."""
    logarithm = np.log(np.maximum(np.abs(values), 1e-12))
    rest = logarithm - np.median(logarithm, axis=0)
    return np.asarray(np.maximum(rest - np.median(rest, axis=1, keepdims=True), 0), np.float64)


def _robust_z(profile: Floats64) -> Floats64:
    deviation = profile - np.median(profile)
    sigma = MAD_TO_SIGMA * float(np.median(np.abs(deviation)))
    return np.asarray(deviation / max(sigma, 1e-9), np.float64)


def _middle_of_peak(profile: Floats64) -> int:
    """Centre of the full width at half maximum of the largest peak, on a circle.

    Networks see patches of several teeth, so the largest value alone may lie at the edge of the peak.
    """
    count, top = len(profile), int(profile.argmax())
    high = np.roll(profile, -top) >= profile[top] / 2  # the peak begins at 0 and may continue at the end
    if high.all():
        return top
    after = int(np.argmin(high)) - 1
    before = int(np.argmin(high[::-1]))
    return round(top + (after - before) / 2) % count
