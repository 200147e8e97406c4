"""Cross-entropy of logits whose target is given apart, on one process or over shards of the classes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch import distributed as dist
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class _CrossEntropy(Function):
    @staticmethod
    def forward(
        ctx: Any, others: Tensor, target: Tensor, columns: Tensor, scale: float, sharded: bool
    ) -> Tensor:
        logits = others * scale
        here = columns.clamp_min(0)[:, None]
        own = target[:, None] * scale
        if sharded:  # where the class lies on another rank nothing is written
            own = torch.where(columns[:, None] >= 0, own, logits.gather(1, here))
        logits.scatter_(1, here, own)
        share = torch.ones_like(target)[:, None]
        if sharded:
            local = logits.logsumexp(dim=1)
            whole = _logsumexp_over_ranks(local)
            loss = whole - scale * target
            share = (local - whole).exp()[:, None]
        log_softmax = torch.log_softmax(logits, dim=1)
        if not sharded:
            loss = -log_softmax.gather(1, here)[:, 0]
        ctx.scale = scale
        ctx.save_for_backward(log_softmax, share, loss, columns)
        return loss.mean()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, Tensor, None, None, None]:
        log_softmax, share, loss, columns = ctx.saved_tensors
        each = gradient * ctx.scale / loss.numel()
        to_others = log_softmax.exp().mul_(share * each)  # s·p/N
        here = columns.clamp_min(0)[:, None]
        kept = torch.where(columns[:, None] >= 0, 0.0, to_others.gather(1, here))
        to_others.scatter_(1, here, kept)  # the target's column was written over
        to_target = torch.expm1(-loss).mul_(each)  # s·(p_y − 1)/N
        return to_others, to_target, None, None, None


def cross_entropy(
    others: Tensor, target: Tensor, columns: Tensor, scale: float, *, sharded: bool = False
) -> Tensor:
    """mean_i −log(e^{s·t_i} / (e^{s·t_i} + Σ_{j≠y} e^{s·o_ij})), t = ``target``, o = ``others``.

    others (batch, columns), target (batch,), columns (batch,) the target's place among the columns.
    When ``sharded``, each rank holds some of the columns, place −1 means "on another rank", all ranks give
    the same ``target`` and get the same loss; only numbers per sample travel, never logits.
    """
    result: Tensor = _CrossEntropy.apply(others, target, columns, scale, sharded)  # type: ignore[no-untyped-call]
    return result


def _logsumexp_over_ranks(local: Tensor) -> Tensor:
    peak = local.clone()
    dist.all_reduce(peak, dist.ReduceOp.MAX)
    total = (local - peak).exp()
    dist.all_reduce(total)
    return peak + total.log()
