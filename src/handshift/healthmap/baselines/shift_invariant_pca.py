"""PCA of a map that does not mind where round the gears the counting began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.fitted import Floats
from handshift.healthmap.baselines.subspace import Subspace

VARIANCE = 0.9


@dataclass(frozen=True)
class ShiftInvariantPca:
    """The map is a torus: turning it changes only the phases of its Fourier transform.

    So the remainder is that of ln(1 + |F|), F the two-dimensional transform of the map over its mean.
    """

    space: Subspace

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Learn from normal maps (N, H, W)."""
        return cls(Subspace.of(spectra(maps), VARIANCE))

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """One remainder for each map: (B,)."""
        return self.space.remainder(spectra(maps)).astype(np.float64)


def spectra(maps: NDArray[np.floating]) -> Floats:
    """ln(1 + |F|) of each map over its mean level, half the plane, flat: (B, H·(W/2+1))."""
    level = np.maximum(np.abs(maps.mean(axis=(1, 2), keepdims=True)), 1e-12)
    transformed = np.abs(np.fft.rfft2(maps / level, axes=(1, 2)))
    transformed[:, 0, 0] = 0  # one for every map once the level is divided out
    return np.log1p(transformed).reshape(len(maps), -1).astype(np.float32)
