"""Principal directions, and what lies outside them.

The directions in which normal patches vary; what remains outside them is odd.

PCA of a map that does not mind where round the gears the counting began.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.fitted import Fitted, Floats, drawn_patches, joined


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


VARIANCE = 0.95
PATCHES = 40_000


@dataclass(frozen=True)
class FeaturePca(Fitted):
    """‖x − μ − PPᵀ(x − μ)‖ of each patch, P spanning 95 % of the variance of normal patches."""

    mean: Floats
    directions: Floats

    @classmethod
    def fit(cls, features: NDArray[np.floating], seed: int = 0) -> Self:
        """From a random choice of patches."""
        space = Subspace.of(drawn_patches(features, PATCHES, np.random.default_rng(seed)), VARIANCE)
        return cls(space.mean, space.directions)

    def distances(self, features: NDArray[np.floating]) -> Floats:
        """Length of the remainder."""
        return Subspace(self.mean, self.directions).remainder(joined(features))[:, None]


SHIFT_INVARIANT_PCA_VARIANCE = 0.9


@dataclass(frozen=True)
class ShiftInvariantPca:
    """The map is a torus: turning it changes only the phases of its Fourier transform.

    So the remainder is that of ln(1 + |F|), F the two-dimensional transform of the map over its mean.
    """

    space: Subspace

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Learn from normal maps (N, H, W)."""
        return cls(Subspace.of(spectra(maps), SHIFT_INVARIANT_PCA_VARIANCE))

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """One remainder for each map: (B,)."""
        return self.space.remainder(spectra(maps)).astype(np.float64)


def spectra(maps: NDArray[np.floating]) -> Floats:
    """ln(1 + |F|) of each map over its mean level, half the plane, flat: (B, H·(W/2+1))."""
    level = np.maximum(np.abs(maps.mean(axis=(1, 2), keepdims=True)), 1e-12)
    transformed = np.abs(np.fft.rfft2(maps / level, axes=(1, 2)))
    transformed[:, 0, 0] = 0  # one for every map once the level is divided out
    return np.log1p(transformed).reshape(len(maps), -1).astype(np.float32)
