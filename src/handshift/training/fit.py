"""The training loop, and interrupts that wait for the end of the optimizer step."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from lightning_fabric import Fabric

from handshift.core.folder_lock import locked
from handshift.training.checkpoint import Progress, load_progress, remove_leftovers, restore, save_last
from handshift.training.config import TrainingConfig
from handshift.training.evaluate import TrainingResult, evaluate, result_of
from handshift.training.journal import Journal
from handshift.training.nan_dump import NonFiniteError, non_finite_error
from handshift.training.optimizers import build_optimizer
from handshift.training.prefetch import prefetched, seed_step
from handshift.training.progress_bar import training_bar
from handshift.training.run_identity import claim
from handshift.training.schedules import learning_rate
from handshift.training.step import Stepper, StepReport
from handshift.training.task import LossModule, Task


class StopRequest:
    """True once SIGINT or SIGTERM has been received."""

    def __init__(self) -> None:
        self.asked = False

    def __bool__(self) -> bool:
        return self.asked


@contextmanager
def deferred_interrupts() -> Iterator[StopRequest]:
    """Turn the first SIGINT or SIGTERM into a stop request; a second one interrupts at once.

    An interrupt in the middle of a step would leave some parameters updated and others not, a state that
    cannot be saved.

    Yields:
        The request, to be checked after each step.
    """
    request = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield request  # only the main thread may set handlers
        return

    def on_signal(number: int, frame: FrameType | None) -> None:
        if request.asked:
            raise KeyboardInterrupt
        request.asked = True

    previous = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield request
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


MOST_SKIPS_IN_A_ROW = 100  # a model whose every loss is NaN will not recover


def fit(
    task: Task,
    config: TrainingConfig,
    folder: Path | str,
    *,
    identity: Mapping[str, Any] | None = None,
    defaults: Mapping[str, Any] | None = None,
    progress_bar: bool = True,
) -> TrainingResult:
    """Train ``task`` in ``folder``, resuming from the checkpoint there if one exists.

    A finished folder is returned as it is. Afterwards the module holds the last weights; ``result.weights``
    names the best.

    Args:
        task: Model, batches, loss and evaluation.
        config: Steps, optimizer, schedule, monitoring.
        folder: Where checkpoints and the journal go; one process at a time may use it.
        identity: What else the result depends on (model name, data fingerprint); stored with the config.
        defaults: Default values of fields of ``identity``; one that the folder does not name yet is ignored
            where it has its default, so that older runs can be resumed.
        progress_bar: Whether to show a bar where standard error is a terminal.

    Returns:
        How the training ended, its metrics and its weights.

    Raises:
        OtherConfigError: The folder holds a training with another config or identity.
        FolderBusyError: Another process trains in this folder.
        NonFiniteError: A loss or gradient is not finite and the config says to stop.
        KeyboardInterrupt: The training was interrupted; its state is saved.
    """
    folder = Path(folder)
    with locked(folder):
        claim(folder, {**config.identity(), **(identity or {})}, {**config.defaults(), **(defaults or {})})
        return _Run(task, config, folder).run(progress_bar)


class _Run:
    """One training: its parts, and the loop over the remaining steps."""

    def __init__(self, task: Task, config: TrainingConfig, folder: Path) -> None:
        self.task, self.config, self.folder = task, config, folder
        self.total = config.total_steps(task.steps_per_epoch)
        self.evaluate_every = config.evaluate_every or task.steps_per_epoch
        self.checkpoint_every = config.checkpoint_every or self.evaluate_every
        own = [torch.cuda.current_device()] if config.accelerator == "cuda" else 1  # one GPU a process
        self.fabric = Fabric(accelerator=config.accelerator, devices=own, precision=config.precision)
        self.fabric.launch()
        self.optimizer = build_optimizer(task.module, config)
        module, optimizer = self.fabric.setup(LossModule(task), self.optimizer)
        remove_leftovers(folder)
        self.progress = load_progress(folder) or Progress()
        if self.progress.step:  # only now, because the optimizer's state follows the weights to their device
            restore(folder, task.module, self.optimizer, self.progress)
            self.fabric.strategy.precision.load_state_dict(self.progress.scaler)
        self.step = Stepper(self.fabric, module, optimizer, config)
        self.skips_in_a_row = 0

    def run(self, progress_bar: bool) -> TrainingResult:
        """Run the remaining steps."""
        if self.progress.finished:
            return result_of(self.folder, self.progress)
        config, first, per_step = self.config, self.progress.step, self.config.accumulate
        indices = range(first * per_step, self.total * per_step)
        self.task.module.train()
        with (
            deferred_interrupts() as stop,
            Journal(self.folder, first, config.tensorboard) as journal,
            training_bar(self.folder.name, first, self.total, progress_bar) as show_progress,
            prefetched(self.task.batch, indices, config.workers, config.ahead) as batches,
        ):
            started = time.perf_counter() - self.progress.seconds
            for step in range(first, self.total):
                seed_step(config.seed, step)
                report = self.step(
                    batches, learning_rate(config, step, self.total, self.task.steps_per_epoch)
                )
                self.progress.step = step + 1
                self.progress.seconds = time.perf_counter() - started
                self._check_finite(report, range(step * per_step, (step + 1) * per_step))
                if self.progress.step % config.log_every == 0 or report.problem:
                    values = {
                        **report.values,
                        "skipped": self.progress.skipped,
                        "seconds": self.progress.seconds,
                    }
                    journal.write(self.progress.step, "train", values)
                    show_progress(self.progress.step, self._status(report))
                self._evaluate_and_save(journal, bool(stop))
                if self.progress.finished:
                    break
                if stop:
                    raise KeyboardInterrupt
        return result_of(self.folder, self.progress)

    def _check_finite(self, report: StepReport, indices: range) -> None:
        """Stop at, or count, a step whose loss or gradient was not finite."""
        if report.problem is None:
            self.skips_in_a_row = 0
            return
        if self.config.on_nan == "stop":
            raise non_finite_error(
                self.folder, self.progress.step - 1, indices, report.problem, report.offending
            )
        self.progress.skipped += 1
        self.skips_in_a_row += 1
        if self.skips_in_a_row >= MOST_SKIPS_IN_A_ROW:
            raise NonFiniteError(f"{self.skips_in_a_row} steps in a row were skipped: {report.problem}")

    def _evaluate_and_save(self, journal: Journal, stopping: bool) -> None:
        progress, config = self.progress, self.config
        over_time = config.max_hours is not None and progress.seconds > config.max_hours * 3600
        at_end = progress.step == self.total or over_time
        if progress.step % self.evaluate_every == 0 or at_end:
            evaluate(self.task, self.task.module, config, progress, self.folder)
            journal.write(progress.step, "evaluation", progress.metrics)
            if config.patience is not None and progress.evaluations_since_best >= config.patience:
                progress.finished = "no improvement"
        if at_end:
            progress.finished = "time" if over_time else "all steps"
        if progress.step % self.checkpoint_every == 0 or progress.finished or stopping:
            progress.scaler = self.fabric.strategy.precision.state_dict()
            save_last(self.folder, self.task.module, self.optimizer, progress)

    def _status(self, report: StepReport) -> str:
        best = self.progress.best_value
        watched = "" if best is None else f"  best {self.config.monitor} {best:.4f}"
        return f"loss {report.values['loss']:.4f}{watched}"
