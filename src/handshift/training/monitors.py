"""What is watched in every step: the size of the gradient, and numbers that are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from handshift.error import HandshiftError


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
    """Measure all gradients, and scale them down to a total norm of ``clip`` where they exceed it."""
    held = [p for p in parameters if p.grad is not None]
    gradients = [p.grad for p in held if p.grad is not None]
    total = _total_norm(held)
    norm = total.item()
    if (
        norm - norm != 0.0
    ):  # NaN or infinite; counting element by element only then keeps the usual step cheap
        nan = sum(int(g.isnan().sum()) for g in gradients)
        inf = sum(int(g.isinf().sum()) for g in gradients)
        if nan or inf:
            return GradientReport(norm, nan, inf)
    if clip is not None and norm > clip:
        torch.nn.utils.clip_grads_with_norm_(held, clip, total)
    return GradientReport(norm, 0, 0)


def _total_norm(held: list[Tensor]) -> Tensor:
    """Parameters marked ``sharded`` are parts of one: their squares are summed over the ranks.

    So that every rank clips by the same factor.
    """
    parts = [p.grad for p in held if p.grad is not None and getattr(p, "sharded", False)]
    whole = [p.grad for p in held if p.grad is not None and not getattr(p, "sharded", False)]
    total = torch.nn.utils.get_total_norm(whole)
    if not parts:
        return total
    square = torch.nn.utils.get_total_norm(parts).square()
    torch.distributed.all_reduce(square)
    return (total.square() + square).sqrt()
