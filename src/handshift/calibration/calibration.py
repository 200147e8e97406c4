"""A calibration: a curve from score to log10 LR, its ELUB bounds, and a bootstrap band."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from handshift.calibration.bootstrap_band import Band, bootstrap_band
from handshift.calibration.elub import elub
from handshift.calibration.isotonic import Isotonic
from handshift.calibration.kernel import Kernel
from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.logistic import Logistic
from handshift.calibration.two_slope import TwoSlope
from handshift.core.arrays import Floats

Curve = TwoSlope | Logistic | Isotonic | Kernel


class Method(StrEnum):
    """Calibration method."""

    two_slope = "bent"
    """Stored as "bent", the name under which calibrations were written first."""
    logistic = "logistic"
    isotonic = "isotonic"
    kernel = "kernel"


METHODS: dict[Method, type[Curve]] = {
    Method.two_slope: TwoSlope,
    Method.logistic: Logistic,
    Method.isotonic: Isotonic,
    Method.kernel: Kernel,
}


@dataclass(frozen=True, slots=True)
class Calibration:
    """log10 LR of a score, clipped to the bounds that the calibration data support."""

    curve: Curve
    lowest: float
    highest: float
    band: Band | None = None
    """None where no writers were given to resample."""

    @property
    def method(self) -> Method:
        """The method of the curve."""
        return next(method for method, kind in METHODS.items() if isinstance(self.curve, kind))

    def log10_lr(self, scores: ArrayLike) -> Floats:
        """Calibrated log10 LR, clipped to the bounds; (cases,) → (cases,)."""
        return np.clip(self.curve.log10_lr(scores), self.lowest, self.highest)

    def interval(self, score: float) -> tuple[float, float]:
        """95 % bootstrap interval of a score's log10 LR, clipped to the bounds."""
        here = float(self.log10_lr(score))
        low, high = self.band.at(score) if self.band else (here, here)
        low, high = (float(np.clip(side, self.lowest, self.highest)) for side in (low, high))
        return min(low, here), max(high, here)

    @classmethod
    def withheld(cls) -> Calibration:
        """LR = 1 for every score: for scores that carry nothing."""
        return cls(Logistic(0.0, 0.0), 0.0, 0.0)

    @property
    def says_nothing(self) -> bool:
        """Whether no score has a ratio other than 1."""
        return self.lowest == self.highest == 0

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "method": self.method.value,
            "curve": asdict(self.curve),
            "lowest": self.lowest,
            "highest": self.highest,
            "band": asdict(self.band) if self.band else None,
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Calibration:
        """Read what `record` gave."""
        kind = METHODS[Method(record["method"])]
        band = record.get("band")
        return cls(
            kind(**_tuples(record["curve"])),
            float(record["lowest"]),
            float(record["highest"]),
            Band(**_tuples(band)) if band else None,
        )


def fit_calibration(known: LabelledScores, method: Method = Method.two_slope) -> Calibration:
    """Fit a curve at even prior odds, bound it by ELUB, and bootstrap it over writers.

    Args:
        known: labelled scores, with writers where an interval is wanted.
        method: the kind of curve.

    Raises:
        CalibrationError: the scores cannot be calibrated.
    """
    known.require()
    kind = METHODS[method]
    curve = kind.fit(known)
    lowest, highest = elub(curve.log10_lr(known.scores), known.first)
    band = bootstrap_band(known, lambda drawn: kind.fit(drawn).log10_lr) if known.writers.size else None
    return Calibration(curve, lowest, highest, band)


def _tuples(record: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
