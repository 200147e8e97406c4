"""Held-out figures during training: which weights are best, and when to stop waiting for better ones."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from handshift.error import HandshiftError
from handshift.training.checkpoint import Progress, save_best
from handshift.training.config import TrainingConfig
from handshift.training.task import Task


class MonitorError(HandshiftError):
    """The watched metric is not among those the task reports."""


def examine(task: Task, module: nn.Module, config: TrainingConfig, progress: Progress, folder: Path) -> None:
    """Evaluate, note the figures in ``progress``, keep the weights if the watched figure is the best yet."""
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
