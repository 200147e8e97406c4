"""Gradient norm and non-finite values of each step, and the dump of a batch that caused them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from handshift.core.errors import HandshiftError
from handshift.training.tensors import save_tensors


class NonFiniteError(HandshiftError):
    """The loss or a gradient is NaN or infinite, and the config says to stop there."""


@dataclass(frozen=True)
class GradientReport:
    """Norm ‖g‖₂ over all parameters before clipping, and how many of its elements are NaN or infinite."""

    norm: float
    nan: int
    inf: int

    @property
    def finite(self) -> bool:
        """Whether the step can be taken."""
        return self.nan == 0 and self.inf == 0


def inspect_gradients(parameters: Iterable[Tensor], clip: float | None) -> GradientReport:
    """Measure all gradients and clip them to a total norm of ``clip``.

    Args:
        parameters: The parameters; those without gradient are skipped.
        clip: Largest total norm; None for no clipping.

    Returns:
        The norm before clipping, and the number of NaN and infinite elements.
    """
    held = [p for p in parameters if p.grad is not None]
    gradients = [p.grad for p in held if p.grad is not None]
    total = _total_norm(held)
    norm = total.item()
    # Elements are counted only when the norm is NaN or infinite, which keeps the usual step cheap.
    if norm - norm != 0.0:
        nan = sum(int(g.isnan().sum()) for g in gradients)
        inf = sum(int(g.isinf().sum()) for g in gradients)
        if nan or inf:
            return GradientReport(norm, nan, inf)
    if clip is not None and norm > clip:
        torch.nn.utils.clip_grads_with_norm_(held, clip, total)
    return GradientReport(norm, 0, 0)


def _total_norm(held: list[Tensor]) -> Tensor:
    """Total norm; squares of parameters marked ``sharded`` are summed over the ranks that hold their parts.

    Every rank thereby clips by the same factor.
    """
    parts = [p.grad for p in held if p.grad is not None and getattr(p, "sharded", False)]
    whole = [p.grad for p in held if p.grad is not None and not getattr(p, "sharded", False)]
    total = torch.nn.utils.get_total_norm(whole)
    if not parts:
        return total
    square = torch.nn.utils.get_total_norm(parts).square()
    torch.distributed.all_reduce(square)
    return (total.square() + square).sqrt()


def non_finite_error(folder: Path, step: int, indices: range, problem: str, batch: Any) -> NonFiniteError:
    """Save the tensors of a batch whose loss or gradient was not finite, and build the error that names it.

    Args:
        folder: Where ``offending-batch-<index>.safetensors`` goes.
        step: The optimizer step.
        indices: Numbers of the batches of this step.
        problem: What was not finite.
        batch: The batch, or the list of batches of the step.

    Returns:
        The error, to be raised by the caller.
    """
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
