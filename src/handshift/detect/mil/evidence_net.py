"""The three-level Gaussian model as a network, whose levels are learnt from bags."""

from __future__ import annotations

import math

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from handshift.detect.covariance import fit_covariances
from handshift.detect.mil import divided
from handshift.detect.mil.model import MilModel, Output
from handshift.detect.mil.standard import lengths
from handshift.embed.embedder import unit_rows

DIMENSIONS, SHRINKAGE = 48, 0.5
_FEATURES = 7
_NEVER = -1e9


class EvidenceNet(MilModel):
    """Densities of every block of words by another writer, or of another day, weighed into one logit.

    A word of length r is x = (word/r − mean)·P with variance 1/λ in each dimension, λ(x, ln r) its precision:
    short words say less, and networks may tell so by the length of a row. Each block is one way to divide
    the bag; b, d are ln mean density over all blocks if another writer wrote the block, or the same writer on
    another day, relative to one writer on one day; u, e the same over single words. The logit is a small
    network on asinh of b − ln ½(1 + eᵈ), u − ln ½(1 + eᵉ), b, d, u, e and on ln n. It begins as what the
    moments of the training words say, and bags teach it the rest. A word contributes its probability of
    standing on the smaller side.
    """

    order_aware = True

    def __init__(self, dims: int, dimensions: int = DIMENSIONS, hidden: int = 16) -> None:
        super().__init__()
        dimensions = min(dims, dimensions)
        self.mean = nn.Parameter(torch.zeros(dims))
        self.projection = nn.Parameter(torch.eye(dims)[:, :dimensions].clone())
        self.writer = nn.Parameter(torch.zeros(dimensions))  # logarithms of the variances
        self.session = nn.Parameter(torch.full((dimensions,), -2.0))
        self.precision = nn.Sequential(nn.Linear(2 * dimensions + 1, hidden), nn.Tanh(), _silent(hidden))
        self.plain = _silent(_FEATURES)
        self.bent = nn.Sequential(nn.Linear(_FEATURES, hidden), nn.ReLU(), _silent(hidden))
        with torch.no_grad():
            self.plain.weight[0, 0] = 1.0  # at first, the log ratio over blocks

    def acquaint(
        self, words: NDArray[np.float32], writer: NDArray[np.str_], session: NDArray[np.int64]
    ) -> None:
        """Begin with the moments of the words to be trained on."""
        found = fit_covariances(unit_rows(words), writer, session, self.writer.numel(), SHRINKAGE)
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
        told = self.precision(torch.cat([x, x * x, torch.log(length)], dim=-1))
        precision = torch.exp(-1.5 * torch.tanh(told)).squeeze(-1)
        blocks = divided.every_block(x, precision * kept)
        there = (blocks.end <= size) & (blocks.length < size)  # (batch, blocks)
        writers, days = divided.log_ratios(blocks, self.writer.exp(), self.session.exp())
        prior = -torch.log((size - 1).clamp_min(1.0)) - torch.log((size - blocks.length + 1).clamp_min(1.0))
        prior = prior.masked_fill(~there, _NEVER)  # any length alike, then any place
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
        logit = (self.plain(features) + self.bent(features)).squeeze(-1)
        share = torch.softmax(writers + torch.maximum(prior, single), dim=1) * there.to(kept.dtype)
        return Output(logit, divided.smaller_side(blocks, share, size, kept))


def _silent(inputs: int) -> nn.Linear:
    """A layer that says nothing until it is taught."""
    layer = nn.Linear(inputs, 1)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


def _asinh(x: Tensor) -> Tensor:
    """As torch's, in operations that the exporter knows."""
    return torch.sign(x) * torch.log(x.abs() + torch.sqrt(x * x + 1))
