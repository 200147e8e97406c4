"""The judgement of every training picture, kept as a table beside the training that made it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.atomic import write_text
from handshift.embed.collection import WordCollection

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
