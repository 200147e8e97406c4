"""Evaluation during training: the best weights so far, and the result of a finished training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from handshift.core.errors import HandshiftError
from handshift.training.checkpoint import BEST_WEIGHTS, Progress, last_weights, save_best
from handshift.training.config import TrainingConfig
from handshift.training.task import Task


@dataclass(frozen=True)
class TrainingResult:
    """How a training ended and where its weights are."""

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
        """Path of the best weights where a metric is monitored, otherwise of the last."""
        best, last = self.folder / BEST_WEIGHTS, last_weights(self.folder)
        return best if best.exists() or last is None else last


def result_of(folder: Path, progress: Progress) -> TrainingResult:
    """Summarise ``progress`` as a `TrainingResult`."""
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


class MonitorError(HandshiftError):
    """The monitored metric is not among those the task reports."""


def evaluate(task: Task, module: nn.Module, config: TrainingConfig, progress: Progress, folder: Path) -> None:
    """Evaluate the task, update ``progress``, and save the weights if the monitored metric improved.

    Args:
        task: The task; its ``evaluate`` runs in evaluation mode without gradients.
        module: The trained module.
        config: Names the monitored metric and its direction.
        progress: Updated in place.
        folder: Where the best weights go.

    Raises:
        MonitorError: The task does not report the monitored metric.
    """
    module.eval()
    with torch.no_grad():
        progress.metrics = {name: float(value) for name, value in task.evaluate().items()}
    module.train()
    if config.monitor is None:
        return
    if config.monitor not in progress.metrics:
        known = ", ".join(sorted(progress.metrics)) or "nothing"
        raise MonitorError(f"monitor: {config.monitor!r} is not reported by this task, which reports {known}")
    value = progress.metrics[config.monitor]
    if _better(value, progress.best_value, config.mode):
        progress.best_value, progress.best_step = value, progress.step
        progress.best_metrics, progress.evaluations_since_best = progress.metrics, 0
        save_best(folder, module, progress)
    else:
        progress.evaluations_since_best += 1


def _better(value: float, best: float | None, mode: str) -> bool:
    if value != value:  # NaN is never an improvement
        return False
    return best is None or (value > best if mode == "max" else value < best)
