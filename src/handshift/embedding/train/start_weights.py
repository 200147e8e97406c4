"""Weights to begin another training with, in half precision: what remains when a run's folder is lost."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn

from handshift.training.checkpoint import BEST_WEIGHTS
from handshift.training.tensors import CheckpointError, load_tensors, save_tensors

_CENTRES = "objective.head.centres"


def save_start_weights(run: Path, path: Path) -> None:
    """Keep the best network of a training and its class centres in 16 bits.

    Args:
        run: What `handshift train embed --out RUN` writes to.
        path: The safetensors file to write.

    Raises:
        CheckpointError: The weights cannot be read.
    """
    weights = load_tensors(run / "training" / BEST_WEIGHTS)
    prefix = "average." if any(name.startswith("average.") for name in weights) else "network."
    kept = {f"network.{n.removeprefix(prefix)}": t for n, t in weights.items() if n.startswith(prefix)}
    if _CENTRES in weights:
        kept[_CENTRES] = weights[_CENTRES]
    save_tensors(path, {n: t.half() if t.is_floating_point() else t for n, t in kept.items()})


def load_start_weights(module: nn.Module, path: Path) -> None:
    """Begin with the weights of another training.

    Args:
        module: `network`, its `average` where there is one, and `objective`; the average begins alike, the
            centres are taken over where there are as many classes.
        path: What `save_start_weights` wrote, or a checkpoint.

    Raises:
        CheckpointError: They are the weights of another network.
    """
    given = {name: _widened(tensor) for name, tensor in load_tensors(path).items()}
    given |= {n.replace("network.", "average.", 1): t for n, t in given.items() if n.startswith("network.")}
    own = module.state_dict()
    fitting = {
        name: tensor for name, tensor in given.items() if name in own and own[name].shape == tensor.shape
    }
    if lacking := [name for name in own if name.startswith("network.") and name not in fitting]:
        raise CheckpointError(
            f"{path}: the weights of another network; {lacking[0]} is missing or of another shape"
        )
    module.load_state_dict(own | fitting)


def _widened(tensor: Tensor) -> Tensor:
    return tensor.to(torch.float32) if tensor.is_floating_point() else tensor
