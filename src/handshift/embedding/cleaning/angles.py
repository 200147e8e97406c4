"""How far each picture lies from where most of its writer's pictures are.

The judgement of every training picture, kept as a table beside the training that made it.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.embedding.crops.collection import WordCollection


@dataclass(frozen=True)
class Judgement:
    """What sub-centers say of each picture, all (pictures,)."""

    angle: NDArray[np.float64]
    """Degrees to the dominant centre of the writer it is filed under."""
    learnt_angle: NDArray[np.float64]
    """The same to the learnt weight, as sub-center ArcFace has it."""
    nearest: NDArray[np.int64]
    """Which other writer's dominant centre is nearest."""
    nearest_angle: NDArray[np.float64]
    """Degrees to that one."""


def judge(vectors: NDArray[np.float32], labels: NDArray[np.int64], centres: NDArray[np.float32]) -> Judgement:
    """Leave each class its dominant sub-center, and measure angles to where that one's pictures are.

    With k_i = argmax_k x_i·w_{j k} for j = y_i, the dominant d(j) is the most frequent k_i of the class, and
    θ_i is the angle between u_i and the mean of {u_i : y_i = j, k_i = d(j)}, u_i = x_i − mean of all x. So an
    unrelated picture lies at about 90° however far training has come. The paper measures from x_i to the
    weight w_{j d(j)}: after long training that is much the same, but in a short one the weights lag behind,
    nearly at right angles to every picture, while pictures share a direction that tells nothing.

    `vectors` (pictures, dimensions) and `centres` (classes, K, dimensions) have unit rows, `labels` are
    (pictures,).
    """
    centred = _unit(vectors - vectors.mean(axis=0))
    learnt, gathered = centres[:, 0].copy(), np.zeros_like(centres[:, 0])  # (classes, dimensions)
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        nearest = (vectors[own] @ centres[label].T).argmax(axis=1)
        dominant = np.bincount(nearest).argmax()
        learnt[label] = centres[label, dominant]
        gathered[label] = _unit(centred[own[nearest == dominant]].mean(axis=0))
    return _judged(centred, labels, gathered, np.einsum("pd,pd->p", vectors, learnt[labels]))


def _judged(
    centred: NDArray[np.float32],
    labels: NDArray[np.int64],
    gathered: NDArray[np.float32],
    by_weight: NDArray[np.float32],
) -> Judgement:
    cosines = centred @ gathered.T  # (pictures, classes)
    rows = np.arange(len(labels))
    own = cosines[rows, labels]
    cosines[rows, labels] = -np.inf
    nearest = cosines.argmax(axis=1)
    return Judgement(_degrees(own), _degrees(by_weight), nearest, _degrees(cosines[rows, nearest]))


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-6)
    return unit


def _degrees(cosines: NDArray[np.float32]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.degrees(np.arccos(np.clip(cosines, -1, 1).astype(np.float64)))
    return found


FILE = "angles.csv"
COLUMNS = ("path", "row", "writer", "angle", "nearest_other", "nearest_angle", "learnt_angle")


@dataclass(frozen=True)
class Angles:
    """Row for row: which picture, how far from its own writer, and who is nearest of the others."""

    rows: NDArray[np.int64]
    angle: NDArray[np.float64]
    nearest: NDArray[np.str_]
    nearest_angle: NDArray[np.float64]
    learnt_angle: NDArray[np.float64]

    def beyond(self, limit: float) -> NDArray[np.int64]:
        """Places in the table of what lies further off than `limit` degrees, the furthest first."""
        far = np.flatnonzero(self.angle > limit)
        return far[np.argsort(-self.angle[far], kind="stable")]

    def table(self, words: WordCollection, places: NDArray[np.int64]) -> str:
        """CSV of these places in their order."""
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(COLUMNS)
        for at in places:
            row = self.rows[at]
            near = (self.nearest[at], f"{self.nearest_angle[at]:.2f}", f"{self.learnt_angle[at]:.2f}")
            writer.writerow((words.page[row], row, words.writer[row], f"{self.angle[at]:.2f}", *near))
        return buffer.getvalue()

    def save(self, folder: Path, words: WordCollection) -> None:
        """Write all of it into `folder`."""
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
