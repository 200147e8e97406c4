"""How far each picture lies from where most of its writer's pictures are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Judgement:
    """What sub-centers say of each picture, all (pictures,)."""

    angle: NDArray[np.float64]
    """Degrees to the dominant centre of the writer it is filed under."""
    nearest: NDArray[np.int64]
    """Which other writer's dominant centre is nearest."""
    nearest_angle: NDArray[np.float64]
    """Degrees to that one."""


def judge(vectors: NDArray[np.float32], labels: NDArray[np.int64], centres: NDArray[np.float32]) -> Judgement:
    """Drop each class's non-dominant centres and measure angles to the one that is left.

    With d(j) = argmax_k #{i : y_i = j, k = argmax_l x_i·w_jl}, the angle is θ_i = arccos x_i·w_{j, d(j)}
    for j = y_i. `vectors` (pictures, dimensions) and `centres` (classes, K, dimensions) have unit rows,
    `labels` are (pictures,).
    """
    dominant = _dominant(vectors, labels, centres)  # (classes, dimensions)
    cosines = np.clip(vectors @ dominant.T, -1, 1)  # (pictures, classes)
    rows = np.arange(len(labels))
    own = cosines[rows, labels]
    cosines[rows, labels] = -np.inf
    nearest = cosines.argmax(axis=1)
    degrees = np.degrees(np.arccos(np.stack([own, cosines[rows, nearest]]).astype(np.float64)))
    return Judgement(degrees[0], nearest, degrees[1])


def _dominant(
    vectors: NDArray[np.float32], labels: NDArray[np.int64], centres: NDArray[np.float32]
) -> NDArray[np.float32]:
    chosen = np.zeros(len(centres), np.int64)
    for label in np.unique(labels):
        nearest = (vectors[labels == label] @ centres[label].T).argmax(axis=1)
        chosen[label] = np.bincount(nearest, minlength=centres.shape[1]).argmax()
    return centres[np.arange(len(centres)), chosen]
