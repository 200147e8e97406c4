"""What a training hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from handshift.training.checkpoint import BEST_WEIGHTS, Progress, last_weights


@dataclass(frozen=True)
class TrainingResult:
    """Where a training ended and where its weights lie."""

    folder: Path
    steps: int
    ended: str
    """``all steps``, ``no improvement`` or ``time``."""
    metrics: Mapping[str, float]
    best_step: int | None
    best_metrics: Mapping[str, float]
    skipped: int
    seconds: float

    @property
    def weights(self) -> Path:
        """The best weights where a metric is watched, otherwise the last."""
        best, last = self.folder / BEST_WEIGHTS, last_weights(self.folder)
        return best if best.exists() or last is None else last


def result_of(folder: Path, progress: Progress) -> TrainingResult:
    """Read the result off a finished progress."""
    return TrainingResult(
        folder=folder,
        steps=progress.step,
        ended=progress.finished or "interrupted",
        metrics=progress.metrics,
        best_step=progress.best_step,
        best_metrics=progress.best_metrics,
        skipped=progress.skipped,
        seconds=progress.seconds,
    )
