"""What the report is told of one map."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from handshift.healthmap.dataset.item import GOOD
from handshift.healthmap.maps import Floats


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

    @property
    def flagged(self) -> bool:
        """Whether the score reaches the threshold."""
        return self.score >= self.threshold

    @property
    def label(self) -> int | None:
        """0 in a folder ``test/good``, 1 in any other folder of ``test``, None where nothing is known."""
        folder = self.path.absolute().parent
        return int(folder.name != GOOD) if folder.parent.name in ("train", "test") else None
