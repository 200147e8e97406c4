"""What the report is told of one map."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import ceil
from pathlib import Path

from handshift.healthmap.dataset.dataset import GOOD
from handshift.healthmap.maps import Floats

LARGEST = 400
"""Pixels on a side of what a report keeps: it may have to hold thousands."""


@dataclass(frozen=True, slots=True)
class ScoredMap:
    """A map, how odd a model found it, and where."""

    path: Path
    domain: str
    values: Floats = field(repr=False)
    """H×W, or H×W×3 in colour."""
    anomaly: Floats = field(repr=False)
    """How odd each pixel is, H×W."""
    score: float
    threshold: float
    warning: str | None = None
    photograph: bool = False
    """Its rows and columns are no teeth."""

    def thinned(self) -> ScoredMap:
        """What a report needs of a large photograph: every so many pixels."""
        step = ceil(max(self.anomaly.shape) / LARGEST)
        if step == 1:
            return self
        # Copies, because a view would keep the whole picture.
        return replace(
            self, values=self.values[::step, ::step].copy(), anomaly=self.anomaly[::step, ::step].copy()
        )

    @property
    def flagged(self) -> bool:
        """Whether the score reaches the threshold."""
        return self.score >= self.threshold

    @property
    def label(self) -> int | None:
        """0 in a folder ``test/good``, 1 in any other folder of ``test``, None where nothing is known."""
        folder = self.path.absolute().parent
        return int(folder.name != GOOD) if folder.parent.name in ("train", "test") else None
