"""Sum and gather across the ranks of ``torch.distributed``, with gradients.

Every rank computes the same loss of the whole batch. A value used identically on all ranks has its full
gradient on each; a value multiplied with a rank's own centres has only a partial gradient there, and the
partial gradients must be summed.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.autograd import Function
from torch.nn.parallel import DistributedDataParallel


def rank_and_world() -> tuple[int, int]:
    """Return this process's rank and the world size; 0 and 1 without ``torch.distributed``."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_rank(), dist.get_world_size()
    return 0, 1


class _GatheredRows(Function):
    @staticmethod
    def forward(ctx: Any, rows: Tensor, used_in_parts: bool) -> Tensor:
        ctx.count, ctx.used_in_parts = len(rows), used_in_parts
        return gathered(rows)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        rank, world = rank_and_world()
        total = summed(gradient) if ctx.used_in_parts else gradient
        # DistributedDataParallel divides what reaches the network by the number of ranks.
        return world * total[rank * ctx.count : (rank + 1) * ctx.count], None


class _Sum(Function):
    @staticmethod
    def forward(ctx: Any, part: Tensor, used_in_parts: bool) -> Tensor:
        ctx.used_in_parts = used_in_parts
        return summed(part)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return (summed(gradient) if ctx.used_in_parts else gradient), None


def gathered(rows: Tensor) -> Tensor:
    """Concatenate all ranks' rows in order of rank, without gradient; every rank gives the same number."""
    parts = [torch.empty_like(rows) for _ in range(rank_and_world()[1])]
    dist.all_gather(parts, rows.contiguous())
    return torch.cat(parts)


def summed(part: Tensor) -> Tensor:
    """Sum over ranks, without gradient."""
    total = part.contiguous().clone()
    dist.all_reduce(total)
    return total


def gather_features(features: Tensor, *, used_in_parts: bool) -> Tensor:
    """Gather features: (batch, d) → (ranks·batch, d); ``used_in_parts`` as in `sum_over_ranks`."""
    result: Tensor = _GatheredRows.apply(features, used_in_parts)  # type: ignore[no-untyped-call]
    return result


def sum_over_ranks(part: Tensor, *, used_in_parts: bool) -> Tensor:
    """Sum over ranks; ``used_in_parts`` if each rank combines the result with its own centres."""
    result: Tensor = _Sum.apply(part, used_in_parts)  # type: ignore[no-untyped-call]
    return result


def keep_shards_apart(module: nn.Module, head: nn.Module) -> None:
    """Exclude the centres of ``head`` from ``DistributedDataParallel(module)``.

    Each rank's centres are its own: they must be neither broadcast from rank 0 nor averaged.

    Args:
        module: The module that will be wrapped.
        head: The Partial FC head inside it.
    """
    own = {id(parameter) for parameter in head.parameters(recurse=False)}
    names = [name for name, parameter in module.named_parameters() if id(parameter) in own]
    ignore = DistributedDataParallel._set_params_and_buffers_to_ignore_for_model
    ignore(module, names)  # type: ignore[no-untyped-call]
