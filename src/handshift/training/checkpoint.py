"""Checkpoints: the last state, from which a training resumes, and the best weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from torch import nn
from torch.optim import Optimizer

from handshift.core.atomic import write_text
from handshift.core.loaders import read_bytes
from handshift.training.tensors import (
    CheckpointError,
    load_tensors,
    load_weights,
    optimizer_tensors,
    restore_optimizer,
    save_tensors,
)

LAST = "last.json"
BEST_WEIGHTS = "best.safetensors"
BEST = "best.json"


class Progress(BaseModel):
    """State of a training after ``step`` optimizer steps, apart from weights and optimizer."""

    model_config = ConfigDict(extra="forbid")

    step: int = 0
    seconds: float = 0.0
    skipped: int = 0
    best_step: int | None = None
    best_value: float | None = None
    evaluations_since_best: int = 0
    metrics: dict[str, float] = {}
    best_metrics: dict[str, float] = {}
    scaler: dict[str, Any] = {}
    finished: str | None = None


def save_last(folder: Path, module: nn.Module, optimizer: Optimizer, progress: Progress) -> None:
    """Write weights and optimizer state under the step's name, then ``last.json``, which names them.

    ``last.json`` is replaced atomically and is the only entry point, so a kill at any moment leaves either
    the old checkpoint or the new one. Files that it no longer names are removed afterwards.

    Args:
        folder: The training's folder.
        module: The trained module.
        optimizer: Its optimizer.
        progress: The state to store; ``progress.step`` names the files.
    """
    weights, moments = _names(progress.step)
    save_tensors(folder / weights, module.state_dict())
    save_tensors(folder / moments, optimizer_tensors(optimizer))
    write_text(folder / LAST, json.dumps(progress.model_dump(), indent=1))
    remove_leftovers(folder)


def load_progress(folder: Path) -> Progress | None:
    """Read ``last.json``.

    Returns:
        The progress; None where no checkpoint was completed.

    Raises:
        CheckpointError: The file is damaged.
    """
    path = folder / LAST
    if not path.exists():
        return None
    try:
        return Progress.model_validate_json(read_bytes(path, 1 << 24))
    except ValidationError as error:
        raise CheckpointError(f"{path}: damaged; remove the folder and train again") from error


def restore(folder: Path, module: nn.Module, optimizer: Optimizer, progress: Progress) -> None:
    """Load the weights and optimizer state that belong to ``progress`` into ``module`` and ``optimizer``."""
    weights, moments = _names(progress.step)
    load_weights(module, folder / weights)
    restore_optimizer(optimizer, load_tensors(folder / moments))


def save_best(folder: Path, module: nn.Module, progress: Progress) -> None:
    """Write the best weights, then ``best.json``, which must not exist before the weights do."""
    save_tensors(folder / BEST_WEIGHTS, module.state_dict())
    note = {"step": progress.best_step, "value": progress.best_value, "metrics": progress.best_metrics}
    write_text(folder / BEST, json.dumps(note, indent=1))


def last_weights(folder: Path) -> Path | None:
    """Path of the weights file that ``last.json`` names; None without a checkpoint."""
    progress = load_progress(folder)
    return None if progress is None else folder / _names(progress.step)[0]


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed run left: ``.part`` files, and states that ``last.json`` does not name."""
    progress = load_progress(folder)
    keep = set(_names(progress.step)) if progress else set()
    for pattern in (".*.part", "weights-*.safetensors", "optimizer-*.safetensors"):
        for path in folder.glob(pattern):
            if path.name not in keep:
                path.unlink(missing_ok=True)


def _names(step: int) -> tuple[str, str]:
    return f"weights-{step:08d}.safetensors", f"optimizer-{step:08d}.safetensors"
