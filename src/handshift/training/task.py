"""`Task`: the interface of a model that the loop can train."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from torch import Tensor, nn


class Task(Protocol):
    """A model, its batches, its loss and its evaluation.

    ``batch(index)`` must depend on ``index`` alone (make a generator from the seed and the index), because a
    resumed run asks for batch 700 without having asked for the 699 before. It runs ahead of the loop in
    another thread or process, so it must not touch the module.
    """

    @property
    def module(self) -> nn.Module:
        """Everything that is trained, margin weights included, as one module."""

    @property
    def steps_per_epoch(self) -> int:
        """Optimizer steps that make one pass over the data."""

    def batch(self, index: int) -> Any:
        """Tensors of batch number ``index`` ≥ 0, in any nesting of dicts, tuples and lists."""

    def loss(self, batch: Any) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """The scalar to minimise, and named values to log."""

    def evaluate(self) -> Mapping[str, float]:
        """Named metrics on held-out data; called without gradients and in evaluation mode."""


class LossModule(nn.Module):
    """The task as a module batch → loss, so that Fabric's autocast covers all of it."""

    def __init__(self, task: Task) -> None:
        super().__init__()
        self.trained = task.module
        self._task_loss = task.loss

    def forward(self, batch: Any) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Return ``task.loss(batch)``."""
        return self._task_loss(batch)
