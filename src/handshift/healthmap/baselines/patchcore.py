"""PatchCore: distance to the nearest patch of a coreset of normal patches (Roth et al. 2022)."""

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

CANDIDATES = 20_000
"""Patches sampled at random before the greedy selection, whose cost is linear in them."""
CORESET = 1_000
"""Patches of the memory bank."""
PROJECTION = 64
"""Dimensions of the random projection in which the coreset is selected."""
_CHUNK = 4096


@dataclass(frozen=True)
class PatchCore(FeatureDetector):
    """Nearest-neighbour distance to a memory bank of normal patches."""

    memory: Floats
    """(coreset size, G·width)."""

    @classmethod
    def fit(cls, features: NDArray[np.floating], seed: int = 0, coreset: int = CORESET) -> Self:
        """Select a greedy coreset from a random sample of patches.

        Args:
            features: (maps, groups, tokens, width) of normal maps.
            seed: Of the sample and the projection.
            coreset: Size of the memory bank.

        Returns:
            The fitted detector.
        """
        random = np.random.default_rng(seed)
        candidates = sample_patches(features, CANDIDATES, random)
        return cls(candidates[greedy_coreset(candidates, coreset, random)])

    def distances(self, features: NDArray[np.floating]) -> Floats:
        """Euclidean distance of each patch to the nearest patch of the memory bank."""
        patches = concatenate_groups(features)
        nearest = nearest_distances(patches.reshape(-1, patches.shape[-1]), self.memory)
        return nearest.reshape(len(features), 1, -1)


def greedy_coreset(points: Floats, count: int, random: np.random.Generator) -> NDArray[np.intp]:
    """k-centre greedy selection: each point is the farthest from those selected before.

    Distances are computed in a random projection, which preserves them well enough (Johnson–Lindenstrauss).

    Args:
        points: (N, D).
        count: Number of points to select.
        random: For the projection and the first point.

    Returns:
        Indices of the selected points, (count,).
    """
    count = min(count, len(points))
    if points.shape[1] > PROJECTION:
        points = points @ random.normal(0, PROJECTION**-0.5, (points.shape[1], PROJECTION)).astype(np.float32)
    squares = np.einsum("nd,nd->n", points, points)
    chosen = np.empty(count, np.intp)
    chosen[0] = random.integers(len(points))
    nearest = np.full(len(points), np.inf, np.float32)
    for number in range(1, count):
        last = chosen[number - 1]
        nearest = np.minimum(nearest, squares - 2 * (points @ points[last]) + squares[last])
        nearest[last] = -np.inf
        chosen[number] = int(nearest.argmax())
    return chosen


def nearest_distances(points: Floats, memory: Floats) -> Floats:
    """Euclidean distance of each point (N, D) to the nearest of ``memory`` (M, D): (N,)."""
    squares = np.einsum("md,md->m", memory, memory)
    found = np.empty(len(points), np.float32)
    for start in range(0, len(points), _CHUNK):
        part = points[start : start + _CHUNK]
        products = (squares - 2 * (part @ memory.T)).min(axis=1) + np.einsum("nd,nd->n", part, part)
        found[start : start + _CHUNK] = np.sqrt(np.maximum(products, 0))
    return found
