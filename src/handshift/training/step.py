"""One optimizer step: forward, backward, clipping, update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lightning_fabric import Fabric
from lightning_fabric.wrappers import _FabricModule, _FabricOptimizer
from torch import Tensor

from handshift.training.config import TrainingConfig
from handshift.training.nan_dump import inspect_gradients


@dataclass
class StepReport:
    """Values of one step; ``offending`` is the batch whose loss or gradient was not finite."""

    values: dict[str, float] = field(default_factory=dict)
    offending: Any = None
    problem: str | None = None


class Stepper:
    """Runs one optimizer step over ``accumulate`` batches at a time."""

    def __init__(
        self, fabric: Fabric, module: _FabricModule, optimizer: _FabricOptimizer, config: TrainingConfig
    ) -> None:
        self.fabric, self.module, self.optimizer, self.config = fabric, module, optimizer, config
        self.parameters = [p for p in module.parameters() if p.requires_grad]
        self.buffers = list(module.buffers()) if config.on_nan == "skip" else []

    def __call__(self, batches: Iterator[Any], rate: float) -> StepReport:
        """Take one step; where something is not finite, leave the weights and buffers unchanged.

        Args:
            batches: Where the step's batches come from.
            rate: Learning rate of this step.

        Returns:
            Loss, learning rate, gradient norm and the task's own values, or the problem found.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        report = StepReport({"loss": 0.0, "lr": rate})
        # All batches of the step are drawn even after a bad one: the next step must begin at its own batch.
        drawn = [next(batches) for _ in range(self.config.accumulate)]
        saved = [buffer.clone() for buffer in self.buffers]
        for batch in drawn:
            self._backward(batch, report)
            if report.problem:
                break
        else:
            self._update(drawn, report)
        self.optimizer.zero_grad(set_to_none=True)
        if report.problem:
            # A NaN in a running mean of batch normalisation would never leave it.
            for buffer, before in zip(self.buffers, saved, strict=True):
                buffer.copy_(before)
        return report

    def _backward(self, batch: Any, report: StepReport) -> None:
        loss, values = self.module(self.fabric.to_device(batch))
        size = loss.item()
        if size - size != 0.0:
            report.problem, report.offending = f"the loss is {size}", batch
            return
        self.fabric.backward(loss / self.config.accumulate)
        report.values["loss"] += size / self.config.accumulate
        for name, value in values.items():
            number = value.item() if isinstance(value, Tensor) else float(value)
            report.values[name] = report.values.get(name, 0.0) + number / self.config.accumulate

    def _update(self, drawn: list[Any], report: StepReport) -> None:
        precision = self.fabric.strategy.precision
        precision.unscale_gradients(self.optimizer.optimizer)
        seen = inspect_gradients(self.parameters, self.config.clip)
        report.values |= {"grad_norm": seen.norm, "grad_nan": float(seen.nan), "grad_inf": float(seen.inf)}
        # In half precision overflow is usual: the scaler skips such a step and adapts itself.
        if seen.finite or self.config.precision == "16-mixed":
            self.optimizer.step()
        else:
            report.problem = f"{seen.nan} gradient values are NaN and {seen.inf} infinite"
            report.offending = drawn if len(drawn) > 1 else drawn[0]
