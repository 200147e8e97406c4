"""How much each tooth stands out on a map, by rows and by columns.

Which tooth: where on an anomaly map the oddness gathers into a row or a column.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Floats64 = NDArray[np.float64]
HEARD = 0.25
"""Share of a row or column whose largest values count: a sensor hears a planet only while it passes."""


def row_profile(maps: NDArray[np.floating]) -> Floats64:
    """Mean of the largest quarter of every row over its lower quartile, (…, H, W) → (…, H).

    Over the quartile, because healthy teeth differ too, but evenly: a broken one is heard in some contacts.
    """
    lines = np.asarray(maps, np.float64)
    count = max(1, round(HEARD * lines.shape[-1]))
    largest = np.partition(lines, -count, axis=-1)[..., -count:].mean(axis=-1)
    return np.asarray(largest - np.quantile(lines, 0.25, axis=-1), np.float64)


def column_profile(maps: NDArray[np.floating]) -> Floats64:
    """The same of every column, (…, H, W) → (…, W)."""
    return row_profile(np.swapaxes(maps, -1, -2))


CLEAR = 5.5
"""Robust standard deviations from which on a tooth is named; 95 % of simulated normal maps stay below."""
TO_SIGMA = 1.4826  # of a normal distribution: σ = 1.4826 · median absolute deviation


class Axis(StrEnum):
    """What the tooth belongs to."""

    ROW = "row"
    """The planet, or the pinion; or the sun, if it has as many teeth."""
    COLUMN = "column"
    """The ring; or, on a map of turns, one turn."""


@dataclass(frozen=True, slots=True)
class Tooth:
    """A row or a column that stands out."""

    axis: Axis
    number: int
    """From 0."""
    strength: float
    """Height above the other rows or columns, in robust standard deviations."""


@dataclass(frozen=True, slots=True)
class Attribution:
    """How odd every row and column of one map is."""

    rows: Floats64
    columns: Floats64
    """In robust standard deviations over all rows, or columns: (H,) and (W,)."""

    @property
    def tooth(self) -> Tooth | None:
        """The row or column that stands out most; None where none does clearly."""
        axis, profile = max(
            ((Axis.ROW, self.rows), (Axis.COLUMN, self.columns)), key=lambda line: float(line[1].max())
        )
        strength = float(profile.max())
        return Tooth(axis, _middle_of_peak(profile), strength) if strength >= CLEAR else None


def which_tooth(anomaly: NDArray[np.floating], values: NDArray[np.floating] | None = None) -> Attribution:
    """Attribute an anomaly map (H, W), of any unit, to its rows and columns.

    A network sees patches of several teeth, and its anomaly map is no finer. With the map itself as
    ``values`` the odd place is told by the network, and the tooth by the pixels that are loud in it.
    """
    odd = np.asarray(anomaly, np.float64)
    if values is not None:
        odd = np.maximum(odd - np.median(odd), 0) * _loudness(np.asarray(values, np.float64))
    return Attribution(_standing_out(row_profile(odd)), _standing_out(column_profile(odd)))


def _loudness(values: Floats64) -> Floats64:
    """How far each pixel lies above what its column and its row usually have, in ln."""
    logarithm = np.log(np.maximum(np.abs(values), 1e-12))
    rest = logarithm - np.median(logarithm, axis=0)
    return np.asarray(np.maximum(rest - np.median(rest, axis=1, keepdims=True), 0), np.float64)


def _standing_out(profile: Floats64) -> Floats64:
    away = profile - np.median(profile)
    spread = TO_SIGMA * float(np.median(np.abs(away)))
    return np.asarray(away / max(spread, 1e-9), np.float64)


def _middle_of_peak(profile: Floats64) -> int:
    """Middle of the run round the largest value that stays above half of it, on a circle.

    Networks see patches of several teeth, so the largest value alone may lie at the rim of the peak.
    """
    count, top = len(profile), int(profile.argmax())
    high = np.roll(profile, -top) >= profile[top] / 2  # the peak begins at 0 and may go on at the end
    if high.all():
        return top
    after = int(np.argmin(high)) - 1
    before = int(np.argmin(high[::-1]))
    return round(top + (after - before) / 2) % count
