"""The batch that broke a training, kept for the person who must find out why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from handshift.training.monitors import NonFiniteError
from handshift.training.tensors import save_tensors


def stop_at(folder: Path, step: int, indices: range, problem: str, batch: Any) -> NonFiniteError:
    """Save the tensors of ``batch`` and return the error that names it."""
    numbers = ", ".join(map(str, indices))
    tensors = dict(_tensors(batch, "batch"))
    path = folder / f"offending-batch-{indices[0]}.safetensors"
    if tensors:
        save_tensors(path, tensors)
    return NonFiniteError(
        f"{problem} in step {step}, batch {numbers}"
        + (f" (saved to {path})" if tensors else "")
        + ". Look at the batch, lower max_lr, set clip, or set on_nan: skip."
    )


def _tensors(value: Any, name: str) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _tensors(item, f"{name}.{key}")
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _tensors(item, f"{name}.{number}")
