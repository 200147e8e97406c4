"""EvidenceNet: PLDA likelihood ratios of all contiguous blocks as a network trained on bags."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.standardise import lengths
from handshift.detect.plda import fit_plda
from handshift.embedding.embedder import unit_rows

_LEAST = 1e-3
"""Precision of an empty group, which is masked later; avoids division by zero."""


STREAMED = 32_768
"""Blocks whose sums are held at once by the exported graph: all those of a page of 255 words. n words have
n(n + 1)/2 blocks; held together, those of 1,500 words took 4 GB."""


class Blocks(NamedTuple):
    """Every run of words start … end − 1, and running sums from which the sums of a run follow."""

    start: Tensor
    """(blocks,)"""
    end: Tensor
    sums: Tensor
    """(batch, n + 1, dimensions) Σ λ·x over the words before a place."""
    weights: Tensor
    """(batch, n + 1, 1) Σ λ over the words before a place."""

    @property
    def length(self) -> Tensor:
        """(blocks,) words of a run."""
        return (self.end - self.start).to(self.sums.dtype)


def every_block(x: Tensor, precision: Tensor) -> Blocks:
    """Of words (batch, n, dimensions) with precisions (batch, n), zero on padding."""
    sums = functional.pad(torch.cumsum(x * precision.unsqueeze(-1), dim=1), (0, 0, 1, 0))
    weights = functional.pad(torch.cumsum(precision, dim=1), (1, 0)).unsqueeze(-1)
    place = torch.cumsum(torch.ones_like(weights[0, :, 0]), dim=0)  # 1 … n + 1, as long as a file's input is
    start, end = (place.unsqueeze(0) > place.unsqueeze(1)).nonzero().unbind(dim=1)
    return Blocks(start, end, sums, weights)


def block_ratios(
    sums: Tensor,
    weights: Tensor,
    start: Tensor,
    end: Tensor,
    writer: Tensor,
    session: Tensor,
    least: float = _LEAST,  # an argument, because scripted functions see no constants
) -> tuple[Tensor, Tensor]:
    """Log ratios of a block by another writer, and in another session, to one session; (batch, blocks).

    Relative to words about the mean, a group with sum S = Σ λx and Λ = Σ λ has the density
    ψ_v(S, Λ) = ½ Σ_d [v·S² / (1 + Λv) − ln(1 + Λv)] if its centre has variance v. With β, σ the variances
    of writers and sessions, another writer gives ψ(S_a, Λ_a) + ψ(S_b, Λ_b) at v = β + σ, one session
    ψ(S_a + S_b, Λ_a + Λ_b). Two sessions of one writer have centres of variance σ about one of variance β:
    ψ_σ of each group and ψ_β of both together, with sums and precisions divided by 1 + Λσ.
    """
    a, a_weight = sums[:, end] - sums[:, start], weights[:, end] - weights[:, start]
    b, b_weight = sums[:, -1:] - a, (weights[:, -1:] - a_weight).clamp_min(least)
    a_weight = a_weight.clamp_min(least)
    level = writer + session
    together = _density(a + b, a_weight + b_weight, level)
    apart = _density(a, a_weight, level) + _density(b, b_weight, level)
    a_thin, b_thin = 1 + a_weight * session, 1 + b_weight * session  # (batch, blocks, dimensions)
    days = _density(a, a_weight, session) + _density(b, b_weight, session)
    days = days + _density(a / a_thin + b / b_thin, a_weight / a_thin + b_weight / b_thin, writer)
    return apart - together, days - together


def streamed_ratios(
    sums: Tensor, weights: Tensor, start: Tensor, end: Tensor, writer: Tensor, session: Tensor, most: int
) -> tuple[Tensor, Tensor]:
    """`block_ratios` of at most ``most`` blocks at a time; scripted, a Loop of the exported graph."""
    writers = sums[:, :0, 0]
    days = sums[:, :0, 0]
    for first in range(0, start.size(0), most):
        one, other = block_ratios(
            sums, weights, start[first : first + most], end[first : first + most], writer, session
        )
        writers = torch.cat([writers, one], dim=1)
        days = torch.cat([days, other], dim=1)
    return writers, days


def log_ratios(blocks: Blocks, writer: Tensor, session: Tensor) -> tuple[Tensor, Tensor]:
    """`block_ratios` of all blocks; an exported graph streams them, gradients need them all."""
    sums, weights, start, end = blocks.sums, blocks.weights, blocks.start, blocks.end
    if torch.onnx.is_in_onnx_export():
        streamed = torch.jit.script(streamed_ratios)
        ratios: tuple[Tensor, Tensor] = streamed(sums, weights, start, end, writer, session, STREAMED)
        return ratios
    return block_ratios(sums, weights, start, end, writer, session)


def smaller_group(blocks: Blocks, share: Tensor, size: Tensor, kept: Tensor) -> Tensor:
    """(batch, n) normalised probability that a word is in the smaller group; `share` (batch, blocks).

    For a block of more than half the words, the rest is the smaller group.
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


DIMENSIONS, SHRINKAGE = 48, 0.5
_FEATURES = 7
_NEVER = -1e9


class EvidenceNet(MilModel):
    """PLDA evidence of every block for another writer or another session, combined into one logit.

    A word of length r is x = (word/r − mean)·P with variance 1/λ in each dimension, λ(x, ln r) its precision:
    short words carry less evidence, and networks may encode that in the row length. b, d are ln mean density
    over all blocks if another writer wrote the block, or the same writer in another session, relative to one
    writer in one session; u, e the same over single words. The logit is a small network on asinh of
    b − ln ½(1 + eᵈ), u − ln ½(1 + eᵉ), b, d, u, e and on ln n. It is initialised from the moments of the
    training words. A word contributes its probability of belonging to the smaller group.
    """

    order_aware = True

    def __init__(self, dims: int, dimensions: int = DIMENSIONS, hidden: int = 16) -> None:
        super().__init__()
        dimensions = min(dims, dimensions)
        self.mean = nn.Parameter(torch.zeros(dims))
        self.projection = nn.Parameter(torch.eye(dims)[:, :dimensions].clone())
        self.writer = nn.Parameter(torch.zeros(dimensions))  # logarithms of the variances
        self.session = nn.Parameter(torch.full((dimensions,), -2.0))
        self.precision = nn.Sequential(nn.Linear(2 * dimensions + 1, hidden), nn.Tanh(), _zero_linear(hidden))
        self.linear = _zero_linear(_FEATURES)
        self.mlp = nn.Sequential(nn.Linear(_FEATURES, hidden), nn.ReLU(), _zero_linear(hidden))
        with torch.no_grad():
            self.linear.weight[0, 0] = 1.0  # initially the log ratio over blocks

    def fit_statistics(
        self, words: NDArray[np.float32], writer: NDArray[np.str_], session: NDArray[np.int64]
    ) -> None:
        """Initialise with the PLDA moments of the training words."""
        found = fit_plda(unit_rows(words), writer, session, self.writer.numel(), SHRINKAGE)
        with torch.no_grad():
            for own, value in (
                (self.mean, found.mean),
                (self.projection, found.projection),
                (self.writer, np.log(found.writer)),
                (self.session, np.log(found.session)),
            ):
                own.copy_(torch.from_numpy(np.ascontiguousarray(value)))

    def forward(self, words: Tensor, mask: Tensor) -> Output:
        """Score bags."""
        kept = mask.to(words.dtype)
        size = kept.sum(dim=1, keepdim=True)  # (batch, 1)
        length = lengths(words)  # (batch, n, 1)
        x = (words / length - self.mean) @ self.projection  # (batch, n, dimensions)
        log_variance = self.precision(torch.cat([x, x * x, torch.log(length)], dim=-1))
        precision = torch.exp(-1.5 * torch.tanh(log_variance)).squeeze(-1)
        blocks = every_block(x, precision * kept)
        there = (blocks.end <= size) & (blocks.length < size)  # (batch, blocks)
        writers, days = log_ratios(blocks, self.writer.exp(), self.session.exp())
        prior = -torch.log((size - 1).clamp_min(1.0)) - torch.log((size - blocks.length + 1).clamp_min(1.0))
        prior = prior.masked_fill(~there, _NEVER)  # uniform over lengths, then positions
        single = torch.where(blocks.length == 1, -torch.log(size.clamp_min(1.0)), _NEVER)
        single = single.masked_fill(~there, _NEVER)
        several = size.squeeze(-1) > 1
        sums = [
            torch.where(several, torch.logsumexp(ratios + weight, dim=1), torch.zeros_like(size[:, 0]))
            for weight in (prior, single)
            for ratios in (writers, days)
        ]  # b, d, u, e, each (batch,)
        half = math.log(2.0)
        evidence = [sums[k] - functional.softplus(sums[k + 1]) + half for k in (0, 2)]
        features = _asinh(torch.stack([*evidence, *sums], dim=-1))
        features = torch.cat([features, torch.log(size.clamp_min(1.0)) - math.log(14.0)], dim=-1)
        logit = (self.linear(features) + self.mlp(features)).squeeze(-1)
        share = torch.softmax(writers + torch.maximum(prior, single), dim=1) * there.to(kept.dtype)
        return Output(logit, smaller_group(blocks, share, size, kept))


def _zero_linear(inputs: int) -> nn.Linear:
    """A linear layer initialised to zero."""
    layer = nn.Linear(inputs, 1)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def _asinh(x: Tensor) -> Tensor:
    """torch.asinh in operations that the ONNX exporter supports."""
    return torch.sign(x) * torch.log(x.abs() + torch.sqrt(x * x + 1))
