"""The trivial baseline: the mean level of the whole map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats64 = NDArray[np.float64]


@dataclass(frozen=True)
class MeanLevel:
    """z-score of ln(mean of a map) among normal maps.

    Runs differ in level for many reasons other than a fault. A detector that does not beat this one may have
    separated the runs instead of the faults.

    Attributes:
        normal: Mean of ln(level) over normal maps.
        spread: Its standard deviation.
        two_sided: Whether quieter maps score high too; published figures count louder ones only.
    """

    normal: float
    spread: float
    two_sided: bool = False

    @classmethod
    def fit(cls, maps: NDArray[np.floating], *, two_sided: bool = False) -> Self:
        """Fit to normal maps (N, H, W)."""
        levels = _levels(maps)
        return cls(float(levels.mean()), float(levels.std()) or 1.0, two_sided)

    def scores(self, maps: NDArray[np.floating]) -> Floats64:
        """(B, H, W) → (B,)."""
        z = (_levels(maps) - self.normal) / self.spread
        return np.abs(z) if self.two_sided else z


def _levels(maps: NDArray[np.floating]) -> Floats64:
    level = np.abs(np.asarray(maps, np.float64)).mean(axis=(1, 2))
    return np.asarray(np.log(np.maximum(level, 1e-12)), np.float64)
