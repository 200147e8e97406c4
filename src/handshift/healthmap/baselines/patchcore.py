"""PatchCore: distance to the nearest patch of a coreset of normal patches (Roth et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.healthmap.baselines.feature_detector import (
    FeatureDetector,
    Floats,
    concatenate_groups,
    sample_patches,
)

CANDIDATES = 20_000
"""Patches sampled at random before the greedy selection, whose cost is linear in them."""
PROJECTION = 64
"""Dimensions of the random projection in which the coreset is selected."""
_CHUNK = 4096


class PatchCoreOptions(BaseModel):
    """Variants of PatchCore; the defaults are the plain nearest neighbour."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    coreset: int = Field(default=1000, ge=1, description="patches of the memory bank")
    neighbours: int = Field(
        default=0, ge=0, description="of the nearest patch, for re-weighting; 9 as published"
    )
    pooling: bool = Field(default=False, description="average features over 3×3 patches, as published")
    equalise: bool = Field(default=False, description="divide each group by its mean norm")
    cosine: bool = Field(default=False, description="divide every patch by its norm: directions are compared")


@dataclass(frozen=True)
class PatchCore(FeatureDetector):
    """Nearest-neighbour distance to a memory bank of normal patches."""

    memory: Floats
    """(coreset size, G·width)."""
    norms: Floats = field(default_factory=lambda: np.ones(0, np.float32))
    """Mean norm of each group, (G,); empty if groups are not equalised."""
    grid: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Rows and columns of patches for 3×3 pooling, (2,); empty without pooling."""
    nearby: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    """Neighbours of each memory patch for re-weighting, (coreset size, b); empty without."""
    cosine: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(1, np.bool_))
    """Whether every patch is divided by its norm, (1,)."""

    @classmethod
    def fit(
        cls,
        features: NDArray[np.floating],
        seed: int = 0,
        options: PatchCoreOptions | None = None,
        grid: tuple[int, int] | None = None,
    ) -> Self:
        """Select a greedy coreset from a random sample of patches.

        Args:
            features: (maps, groups, tokens, width) of normal maps.
            seed: Of the sample and the projection.
            options: Size of the memory bank, re-weighting, pooling, norms.
            grid: Rows and columns of patches, for pooling.

        Returns:
            The fitted detector.

        Raises:
            ValueError: Pooling without a grid.
        """
        options = options or PatchCoreOptions()
        if options.pooling and grid is None:
            raise ValueError("3×3 pooling needs the grid of patches")
        empty = np.zeros(0, np.int64)
        norms = _mean_norms(features) if options.equalise else np.ones(0, np.float32)
        around = np.asarray(grid, np.int64) if options.pooling else empty
        cosine = np.array([options.cosine])
        random = np.random.default_rng(seed)
        candidates = sample_patches(_prepared(features, norms, around, cosine), CANDIDATES, random)
        memory = candidates[greedy_coreset(candidates, options.coreset, random)]
        nearby = _neighbours(memory, options.neighbours) if options.neighbours else empty.reshape(0, 0)
        return cls(memory, norms, around, nearby, cosine)

    def distances(self, features: NDArray[np.floating]) -> Floats:
        """Euclidean distance of each patch to the nearest patch of the memory bank, re-weighted if asked for.

        Re-weighting (eq. 7 of the paper, here for every patch): d·(1 − e^d/Σ_{m ∈ N_b} e^‖x − m‖), N_b the b
        neighbours of the nearest memory patch, itself included: rare normal patches count more.
        """
        joined = concatenate_groups(_prepared(features, self.norms, self.grid, self.cosine))
        points = joined.reshape(-1, joined.shape[-1])
        nearest, which = nearest_of(points, self.memory)
        if self.nearby.size:
            around = np.linalg.norm(points[:, None] - self.memory[self.nearby[which]], axis=2)  # (N, b)
            shifted = np.exp(around - around.max(axis=1, keepdims=True))
            own = np.exp(nearest - around.max(axis=1))
            nearest = nearest * (1 - own / shifted.sum(axis=1))
        return np.asarray(nearest, np.float32).reshape(len(features), 1, -1)


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


def nearest_of(points: Floats, memory: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """Euclidean distance of each point (N, D) to the nearest of ``memory`` (M, D), and its index."""
    squares = np.einsum("md,md->m", memory, memory)
    found = np.empty(len(points), np.float32)
    which = np.empty(len(points), np.intp)
    for start in range(0, len(points), _CHUNK):
        part = points[start : start + _CHUNK]
        products = squares - 2 * (part @ memory.T)
        best = products.argmin(axis=1)
        which[start : start + _CHUNK] = best
        smallest = products[np.arange(len(part)), best] + np.einsum("nd,nd->n", part, part)
        found[start : start + _CHUNK] = np.sqrt(np.maximum(smallest, 0))
    return found, which


def _neighbours(memory: Floats, count: int) -> NDArray[np.int64]:
    """The ``count`` nearest memory patches of each memory patch, itself included: (M, count)."""
    squares = np.einsum("md,md->m", memory, memory)
    distances = squares[None] - 2 * (memory @ memory.T)
    return np.argsort(distances, axis=1)[:, : min(count, len(memory))].astype(np.int64)


def _mean_norms(features: NDArray[np.floating]) -> Floats:
    parts = [
        np.linalg.norm(np.asarray(features[at : at + 64], np.float32), axis=-1).mean(axis=(0, 2))
        for at in range(0, len(features), 64)
    ]
    return np.asarray(np.mean(parts, axis=0), np.float32)


def _prepared(
    features: NDArray[np.floating], norms: Floats, grid: NDArray[np.int64], cosine: NDArray[np.bool_]
) -> NDArray[np.floating]:
    """Features divided by their own or their group's norm, averaged over 3×3 patches, where asked for."""
    if cosine.any():
        features = np.asarray(features, np.float32)
        features = features / np.maximum(np.linalg.norm(features, axis=-1, keepdims=True), 1e-12)
    if norms.size:
        features = np.asarray(features, np.float32) / norms[None, :, None, None]
    if grid.size:
        maps, groups, tokens, width = features.shape
        planes = np.asarray(features, np.float32).reshape(maps, groups, *grid.tolist(), width)
        shifts = [(down, over) for down in (-1, 0, 1) for over in (-1, 0, 1)]
        pooled = sum(np.roll(planes, shift, axis=(2, 3)) for shift in shifts) / np.float32(len(shifts))
        features = np.asarray(pooled, np.float32).reshape(maps, groups, tokens, width)
    return features
