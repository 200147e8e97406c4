"""Weights and optimizer states as safetensors files, which cannot execute code when loaded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor, nn
from torch.optim import Optimizer

from handshift.core.atomic import write_bytes
from handshift.core.errors import HandshiftError


class CheckpointError(HandshiftError):
    """A checkpoint is damaged or belongs to another model."""


def save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    """Write named tensors atomically; copies, because safetensors refuses tensors that share memory."""
    write_bytes(path, save({name: t.detach().cpu().contiguous().clone() for name, t in tensors.items()}))


def load_tensors(path: Path) -> dict[str, Tensor]:
    """Read what `save_tensors` wrote.

    Raises:
        CheckpointError: The file is missing or damaged.
    """
    try:
        return load_file(path)
    except (OSError, SafetensorError) as error:
        raise CheckpointError(f"{path}: cannot be read as safetensors ({error})") from error


def load_weights(module: nn.Module, path: Path) -> None:
    """Load saved weights into ``module``.

    Raises:
        CheckpointError: The file is missing or damaged, or names and shapes do not match the module.
    """
    try:
        module.load_state_dict(load_tensors(path))
    except RuntimeError as error:
        first = str(error).splitlines()[1:2] or [str(error)]  # torch lists every tensor that differs
        raise CheckpointError(
            f"{path}: these are the weights of another model: {first[0].strip()}"
        ) from error


def optimizer_tensors(optimizer: Optimizer) -> dict[str, Tensor]:
    """The optimizer's state as ``{"<parameter number>.<name>": tensor}``."""
    state: dict[int, dict[str, Tensor]] = optimizer.state_dict()["state"]
    return {f"{number}.{name}": value for number, entry in state.items() for name, value in entry.items()}


def restore_optimizer(optimizer: Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Inverse of `optimizer_tensors`. Parameter groups come from the config, not from the file."""
    state: dict[int, dict[str, Any]] = {}
    for key, value in tensors.items():
        number, name = key.split(".", 1)
        state.setdefault(int(number), {})[name] = value
    current = optimizer.state_dict()
    optimizer.load_state_dict({"state": state, "param_groups": current["param_groups"]})


def identical(first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> bool:
    """Whether two sets of tensors agree in every bit."""
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
