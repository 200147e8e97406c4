"""Principal directions, and what lies outside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from handshift.healthmap.baselines.fitted import Floats


@dataclass(frozen=True)
class Subspace:
    """A mean (D,) and orthonormal directions (K, D)."""

    mean: Floats
    directions: Floats

    @classmethod
    def of(cls, rows: Floats, variance: float) -> Self:
        """The fewest directions that hold this share of the rows' variance."""
        mean = rows.mean(axis=0)
        centred = rows - mean
        if len(rows) < rows.shape[1]:
            _, sizes, directions = np.linalg.svd(centred, full_matrices=False)
            power = sizes**2
        else:
            power, vectors = np.linalg.eigh(centred.T @ centred)
            power, directions = power[::-1].clip(0), vectors[:, ::-1].T
        shares = np.cumsum(power) / max(power.sum(), 1e-30)
        count = min(len(power), int(np.searchsorted(shares, variance)) + 1)
        return cls(mean.astype(np.float32), directions[:count].astype(np.float32))

    def remainder(self, rows: Floats) -> Floats:
        """‖x − μ − PPᵀ(x − μ)‖ along the last axis."""
        centred = rows - self.mean
        inside = centred @ self.directions.T
        square = (centred**2).sum(axis=-1) - (inside**2).sum(axis=-1)
        return np.asarray(np.sqrt(np.maximum(square, 0)), np.float32)
