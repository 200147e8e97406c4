"""Bags divided into one block of words and the rest, all blocks at once."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

_LEAST = 1e-3
"""Precision of a group without words, which is masked later: it must only not be zero."""


class Blocks(NamedTuple):
    """Every run of words start … end − 1, and what it and the rest amount to."""

    start: Tensor
    """(blocks,)"""
    end: Tensor
    length: Tensor
    block: Tensor
    """(batch, blocks, dimensions) Σ λ·x over the words of the block."""
    rest: Tensor
    block_precision: Tensor
    """(batch, blocks, 1) Σ λ over the words of the block."""
    rest_precision: Tensor


def every_block(x: Tensor, precision: Tensor) -> Blocks:
    """Of words (batch, n, dimensions) with precisions (batch, n), zero on padding."""
    sums = functional.pad(torch.cumsum(x * precision.unsqueeze(-1), dim=1), (0, 0, 1, 0))
    weights = functional.pad(torch.cumsum(precision, dim=1), (1, 0)).unsqueeze(-1)
    place = torch.cumsum(torch.ones_like(weights[0, :, 0]), dim=0)  # 1 … n + 1, as long as a file's input is
    start, end = (place.unsqueeze(0) > place.unsqueeze(1)).nonzero().unbind(dim=1)
    block, weight = sums[:, end] - sums[:, start], weights[:, end] - weights[:, start]
    return Blocks(
        start,
        end,
        (end - start).to(x.dtype),
        block,
        sums[:, -1:] - block,
        weight.clamp_min(_LEAST),
        (weights[:, -1:] - weight).clamp_min(_LEAST),
    )


def log_ratios(blocks: Blocks, writer: Tensor, session: Tensor) -> tuple[Tensor, Tensor]:
    """ln p(bag | the block by another writer), and of another day, over p(bag | one day); (batch, blocks).

    Relative to words about the mean, a group with sum S = Σ λx and Λ = Σ λ has the density
    ψ_v(S, Λ) = ½ Σ_d [v·S² / (1 + Λv) − ln(1 + Λv)] if its centre has variance v. With β, σ the variances
    of writers and sessions, another writer gives ψ(S_a, Λ_a) + ψ(S_b, Λ_b) at v = β + σ, one day ψ(S_a + S_b,
    Λ_a + Λ_b). Two days of one writer have centres of variance σ about one of variance β: ψ_σ of each group
    and ψ_β of both together, with sums and precisions divided by 1 + Λσ.
    """
    a, b = blocks.block, blocks.rest
    a_weight, b_weight = blocks.block_precision, blocks.rest_precision
    level = writer + session
    together = _density(a + b, a_weight + b_weight, level)
    apart = _density(a, a_weight, level) + _density(b, b_weight, level)
    a_thin, b_thin = 1 + a_weight * session, 1 + b_weight * session  # (batch, blocks, dimensions)
    days = _density(a, a_weight, session) + _density(b, b_weight, session)
    days = days + _density(a / a_thin + b / b_thin, a_weight / a_thin + b_weight / b_thin, writer)
    return apart - together, days - together


def smaller_side(blocks: Blocks, share: Tensor, size: Tensor, kept: Tensor) -> Tensor:
    """(batch, n) parts of the probability that a word stands on the smaller side; `share` (batch, blocks).

    A block of more than half the words leaves the rest as the smaller side.
    """
    small = 2 * blocks.length <= size
    signed = torch.where(small, share, -share)
    edges = torch.zeros_like(functional.pad(kept, (0, 1)))  # (batch, n + 1)
    edges = edges.scatter_add(1, blocks.start.expand_as(signed), signed)
    edges = edges.scatter_add(1, blocks.end.expand_as(signed), -signed)
    outside = torch.where(small, torch.zeros_like(share), share).sum(dim=1, keepdim=True)
    likely = (torch.cumsum(edges, dim=1)[:, :-1] + outside).clamp_min(0.0) * kept + 1e-9 * kept
    return likely / likely.sum(dim=1, keepdim=True).clamp_min(1e-12)


def _density(total: Tensor, weight: Tensor, variance: Tensor) -> Tensor:
    grown = 1 + weight * variance
    return 0.5 * (variance * total * total / grown - torch.log(grown)).sum(dim=-1)
