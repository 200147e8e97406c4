"""PaDiM: a Gaussian of the features at every patch position (Defard et al. 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.feature_detector import FeatureDetector, Floats, concatenate_groups

DIMENSIONS = 64
SHRINKAGE = 0.01


@dataclass(frozen=True)
class Padim(FeatureDetector):
    """Mahalanobis distance from the mean feature at the same position of normal maps.

    Distances are computed in a random subset of the dimensions, as published.
    """

    chosen: NDArray[np.int64]
    """(D,), numbers of the dimensions used."""
    mean: Floats
    """(T, D)."""
    whitening: Floats
    """(T, D, D), W with WᵀW = Σ⁻¹, so that the distance is ‖W(x − μ)‖."""

    @classmethod
    def fit(cls, features: NDArray[np.floating], seed: int = 0) -> Self:
        """Fit to features (maps, groups, tokens, width) of normal maps.

        Σ is shrunk towards the identity by a share of its mean variance: there may be fewer maps than
        dimensions.
        """
        total = features.shape[1] * features.shape[3]
        random = np.random.default_rng(seed)
        chosen = np.sort(random.choice(total, min(DIMENSIONS, total, len(features)), replace=False))
        parts = [
            concatenate_groups(features[start : start + 64])[..., chosen]
            for start in range(0, len(features), 64)
        ]
        values = np.concatenate(parts).transpose(1, 0, 2)  # (T, maps, D)
        mean = values.mean(axis=1)
        centred = values - mean[:, None]
        covariance = centred.transpose(0, 2, 1) @ centred / max(1, len(features) - 1)
        size = chosen.size
        level = np.trace(covariance, axis1=1, axis2=2) / size  # (T,)
        covariance += (SHRINKAGE * level + 1e-8)[:, None, None] * np.eye(size, dtype=np.float32)
        whitening = np.linalg.inv(np.linalg.cholesky(covariance))
        # Contiguous, as they are after loading: sums of another memory order differ in the last digit.
        return cls(chosen, np.ascontiguousarray(mean), np.ascontiguousarray(whitening, np.float32))

    def distances(self, features: NDArray[np.floating]) -> Floats:
        """‖W_t (x_t − μ_t)‖."""
        centred = concatenate_groups(features)[..., self.chosen] - self.mean  # (B, T, D)
        white = np.einsum("tij,btj->bti", self.whitening, centred)
        return np.asarray(np.linalg.norm(white, axis=-1)[:, None], np.float32)
