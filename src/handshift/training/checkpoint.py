"""The last state of a training, from which it can go on, and the best weights, which are what one wants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from torch import nn
from torch.optim import Optimizer

from handshift.core.atomic import write_text
from handshift.training.tensors import (
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
    """Where a training stands after ``step`` optimizer steps."""

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
    """Write weights and optimizer under the step's name, then ``last.json``, which names them.

    The json is replaced in one step and is the only way in, so a kill at any moment leaves either the old
    checkpoint or the new one. Files that it no longer names are removed afterwards.
    """
    weights, moments = _names(progress.step)
    save_tensors(folder / weights, module.state_dict())
    save_tensors(folder / moments, optimizer_tensors(optimizer))
    write_text(folder / LAST, json.dumps(progress.model_dump(), indent=1))
    remove_leftovers(folder)


def load_progress(folder: Path) -> Progress | None:
    """Read ``last.json``; None where no checkpoint was completed."""
    path = folder / LAST
    return Progress.model_validate_json(path.read_text("utf-8")) if path.exists() else None


def restore(folder: Path, module: nn.Module, optimizer: Optimizer, progress: Progress) -> None:
    """Put the state of ``progress`` back into the module and the optimizer."""
    weights, moments = _names(progress.step)
    load_weights(module, folder / weights)
    restore_optimizer(optimizer, load_tensors(folder / moments))


def save_best(folder: Path, module: nn.Module, progress: Progress) -> None:
    """Write the weights first: ``best.json`` must never promise weights that are not there."""
    save_tensors(folder / BEST_WEIGHTS, module.state_dict())
    note = {"step": progress.best_step, "value": progress.best_value, "metrics": progress.best_metrics}
    write_text(folder / BEST, json.dumps(note, indent=1))


def last_weights(folder: Path) -> Path | None:
    """The weights file that ``last.json`` names."""
    progress = load_progress(folder)
    return None if progress is None else folder / _names(progress.step)[0]


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed run left: half-written ``.part`` files, and states ``last.json`` does not name."""
    progress = load_progress(folder)
    keep = set(_names(progress.step)) if progress else set()
    for pattern in (".*.part", "weights-*.safetensors", "optimizer-*.safetensors"):
        for path in folder.glob(pattern):
            if path.name not in keep:
                path.unlink(missing_ok=True)


def _names(step: int) -> tuple[str, str]:
    return f"weights-{step:08d}.safetensors", f"optimizer-{step:08d}.safetensors"
