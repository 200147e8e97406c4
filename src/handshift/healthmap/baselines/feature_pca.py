"""The directions in which normal patches vary; what remains outside them is odd."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.baselines.fitted import Fitted, Floats, drawn_patches, joined
from handshift.healthmap.baselines.subspace import Subspace

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
