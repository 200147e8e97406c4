"""Angles of every training picture to its writer's dominant centre, and the table that stores them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.embedder import unit_rows


@dataclass(frozen=True)
class CentreAngles:
    """Angles of each picture to its own and to the nearest other centre, all (pictures,)."""

    angle: NDArray[np.float64]
    """Degrees to the mean of the dominant sub-center's pictures of the labelled writer."""
    learnt_angle: NDArray[np.float64]
    """Degrees to the learnt weight of the dominant sub-center, as in sub-center ArcFace."""
    nearest: NDArray[np.int64]
    """Class of the nearest other writer's dominant centre."""
    nearest_angle: NDArray[np.float64]
    """Degrees to that centre."""


def centre_angles(
    vectors: NDArray[np.float32], labels: NDArray[np.int64], centres: NDArray[np.float32]
) -> CentreAngles:
    """Measure angles to the mean of the pictures of each class's dominant sub-center.

    With k_i = argmax_k x_i·w_{j k} for j = y_i, the dominant d(j) is the most frequent k_i of the class, and
    θ_i is the angle between u_i and the mean of {u_i : y_i = j, k_i = d(j)}, u_i = x_i − mean of all x. So an
    unrelated picture lies at about 90° at any stage of training. The paper measures from x_i to the weight
    w_{j d(j)}: after long training the two agree, but in a short one the weights lag behind, nearly
    orthogonal to every picture, while all pictures share an uninformative direction.

    Args:
        vectors: (pictures, dimensions), unit rows.
        labels: (pictures,) classes.
        centres: (classes, K, dimensions), unit rows.

    Returns:
        The angles of every picture.
    """
    centred = unit_rows(vectors - vectors.mean(axis=0))
    learnt, means = centres[:, 0].copy(), np.zeros_like(centres[:, 0])  # (classes, dimensions)
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        nearest = (vectors[own] @ centres[label].T).argmax(axis=1)
        dominant = np.bincount(nearest).argmax()
        learnt[label] = centres[label, dominant]
        means[label] = centred[own[nearest == dominant]].mean(axis=0)
    return _angles(centred, labels, unit_rows(means), np.einsum("pd,pd->p", vectors, learnt[labels]))


def _angles(
    centred: NDArray[np.float32],
    labels: NDArray[np.int64],
    means: NDArray[np.float32],
    learnt_cosine: NDArray[np.float32],
) -> CentreAngles:
    cosines = centred @ means.T  # (pictures, classes)
    rows = np.arange(len(labels))
    own = cosines[rows, labels]
    cosines[rows, labels] = -np.inf
    nearest = cosines.argmax(axis=1)
    return CentreAngles(_degrees(own), _degrees(learnt_cosine), nearest, _degrees(cosines[rows, nearest]))


def _degrees(cosines: NDArray[np.float32]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.degrees(np.arccos(np.clip(cosines, -1, 1).astype(np.float64)))
    return found


FILE = "angles.csv"
COLUMNS = ("path", "row", "writer", "angle", "nearest_other", "nearest_angle", "learnt_angle")


@dataclass(frozen=True)
class Angles:
    """Row by row: the picture, its angle to its own writer, and the nearest other writer."""

    rows: NDArray[np.int64]
    angle: NDArray[np.float64]
    nearest: NDArray[np.str_]
    nearest_angle: NDArray[np.float64]
    learnt_angle: NDArray[np.float64]

    def by_learnt_centre(self) -> Angles:
        """Return the table with the angles to the learnt centres, as the paper measures, in `angle`."""
        return replace(self, angle=self.learnt_angle)

    def beyond(self, limit: float) -> NDArray[np.int64]:
        """Return table indices of pictures further than `limit` degrees, the furthest first."""
        far = np.flatnonzero(self.angle > limit)
        return far[np.argsort(-self.angle[far], kind="stable")]

    def table(self, words: WordCollection, places: NDArray[np.int64]) -> str:
        """Format these table indices as CSV, in their order."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(COLUMNS)
        for at in places:
            row = self.rows[at]
            near = (self.nearest[at], f"{self.nearest_angle[at]:.2f}", f"{self.learnt_angle[at]:.2f}")
            writer.writerow((words.page[row], row, words.writer[row], f"{self.angle[at]:.2f}", *near))
        return buffer.getvalue()

    def save(self, folder: Path, words: WordCollection) -> None:
        """Write the whole table into `folder`."""
        write_text(folder / FILE, self.table(words, np.arange(self.rows.size)))

    @classmethod
    def load(cls, folder: Path) -> Angles:
        """Read what `save` wrote."""
        with (folder / FILE).open(encoding="utf-8", newline="") as lines:
            table = list(csv.DictReader(lines))
        return cls(
            np.array([int(row["row"]) for row in table], np.int64),
            np.array([float(row["angle"]) for row in table]),
            np.array([row["nearest_other"] for row in table]),
            np.array([float(row["nearest_angle"]) for row in table]),
            np.array([float(row["learnt_angle"]) for row in table]),
        )
