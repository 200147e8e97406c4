"""Result of scoring one map."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path

from handshift.healthmap.dataset.map_dataset import GOOD
from handshift.healthmap.health_map import Floats

MAX_SIDE = 400
"""Largest side, in pixels, of a map kept for a report, which may hold thousands."""


@dataclass(frozen=True, slots=True)
class ScoredMap:
    """A map with its score, threshold and anomaly map."""

    path: Path
    domain: str
    values: Floats = field(repr=False)
    """H×W, or H×W×3 in colour."""
    anomaly: Floats = field(repr=False)
    """Anomaly of each pixel, H×W."""
    score: float
    threshold: float
    warning: str | None = None
    photograph: bool = False
    """Whether it is a picture, whose rows and columns are not teeth."""

    def downsampled(self) -> ScoredMap:
        """A copy reduced to at most `MAX_SIDE` pixels a side, for the report."""
        step = ceil(max(self.anomaly.shape) / MAX_SIDE)
        if step == 1:
            return self
        # Copies, because a view would keep the whole picture in memory.
        return replace(
            self, values=self.values[::step, ::step].copy(), anomaly=self.anomaly[::step, ::step].copy()
        )

    @property
    def flagged(self) -> bool:
        """Whether the score reaches the threshold."""
        return self.score >= self.threshold

    @property
    def label(self) -> int | None:
        """0 in a folder ``test/good``, 1 in any other folder of ``test``, None if the label is unknown."""
        folder = self.path.absolute().parent
        return int(folder.name != GOOD) if folder.parent.name in ("train", "test") else None
