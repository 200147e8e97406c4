"""PCA reconstruction error: of patch features, and of the shift-invariant Fourier magnitudes of a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.feature_detector import (
    FeatureDetector,
    Floats,
    concatenate_groups,
    sample_patches,
)


@dataclass(frozen=True)
class Subspace:
    """An affine subspace fitted by PCA: a mean (D,) and orthonormal directions (K, D)."""

    mean: Floats
    directions: Floats

    @classmethod
    def fit(cls, rows: Floats, variance: float) -> Self:
        """Fit the fewest principal directions that explain a share of the variance.

        Args:
            rows: (N, D).
            variance: Share of the variance to explain.

        Returns:
            The subspace.
        """
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

    def reconstruction_error(self, rows: Floats) -> Floats:
        """‖x − μ − PPᵀ(x − μ)‖ along the last axis."""
        centred = rows - self.mean
        inside = centred @ self.directions.T
        square = (centred**2).sum(axis=-1) - (inside**2).sum(axis=-1)
        return np.asarray(np.sqrt(np.maximum(square, 0)), np.float32)


FEATURE_VARIANCE = 0.95
PATCHES = 40_000
"""Sampled at random to fit the subspace."""


@dataclass(frozen=True)
class FeaturePca(FeatureDetector):
    """‖x − μ − PPᵀ(x − μ)‖ of each patch, P spanning 95 % of the variance of normal patches."""

    mean: Floats
    directions: Floats

    @classmethod
    def fit(cls, features: NDArray[np.floating], seed: int = 0) -> Self:
        """Fit to a random sample of the patches of normal maps."""
        patches = sample_patches(features, PATCHES, np.random.default_rng(seed))
        space = Subspace.fit(patches, FEATURE_VARIANCE)
        return cls(space.mean, space.directions)

    def distances(self, features: NDArray[np.floating]) -> Floats:
        """Reconstruction error of each patch."""
        subspace = Subspace(self.mean, self.directions)
        return subspace.reconstruction_error(concatenate_groups(features))[:, None]


SPECTRUM_VARIANCE = 0.9


@dataclass(frozen=True)
class ShiftInvariantPca:
    """PCA reconstruction error of ln(1 + |F|), F the 2-D Fourier transform of the map divided by its mean.

    The map is a torus: a circular shift changes only the phases of F, so the score does not depend on the
    tooth at which counting began.
    """

    space: Subspace

    @classmethod
    def fit(cls, maps: NDArray[np.floating]) -> Self:
        """Fit to normal maps (N, H, W)."""
        return cls(Subspace.fit(spectra(maps), SPECTRUM_VARIANCE))

    def scores(self, maps: NDArray[np.floating]) -> NDArray[np.float64]:
        """(B, H, W) → (B,)."""
        return self.space.reconstruction_error(spectra(maps)).astype(np.float64)


def spectra(maps: NDArray[np.floating]) -> Floats:
    """ln(1 + |F|) of each map divided by its mean, half-plane, flattened: (B, H·(W/2+1))."""
    level = np.maximum(np.abs(maps.mean(axis=(1, 2), keepdims=True)), 1e-12)
    transformed = np.abs(np.fft.rfft2(maps / level, axes=(1, 2)))
    transformed[:, 0, 0] = 0  # constant after division by the mean
    return np.log1p(transformed).reshape(len(maps), -1).astype(np.float32)
