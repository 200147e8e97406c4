"""Base class of heads: features and labels → margin logits and cross-entropy, also over class shards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch import distributed as dist
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.cosines import at_least_float32, cosines, unit_rows
from handshift.embedding.train.heads.distributed_ops import gathered, rank_and_world
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.terms import Angles, Term


class _CrossEntropy(Function):
    @staticmethod
    def forward(
        ctx: Any, others: Tensor, target: Tensor, columns: Tensor, scale: float, sharded: bool
    ) -> Tensor:
        logits = others * scale
        here = columns.clamp_min(0)[:, None]
        own = target[:, None] * scale
        if sharded:  # nothing is written where another rank holds the class
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
        to_others.scatter_(1, here, kept)  # the target's column was overwritten
        to_target = torch.expm1(-loss).mul_(each)  # s·(p_y − 1)/N
        return to_others, to_target, None, None, None


def cross_entropy(
    others: Tensor, target: Tensor, columns: Tensor, scale: float, *, sharded: bool = False
) -> Tensor:
    """Compute mean_i −log(e^{s·t_i} / (e^{s·t_i} + Σ_{j≠y} e^{s·o_ij})), t = ``target``, o = ``others``.

    Args:
        others: (batch, columns) products with all classes; the target's column is ignored.
        target: (batch,) product with the own class, margin applied.
        columns: (batch,) column of the own class.
        scale: s.
        sharded: Each rank holds some of the columns, and column −1 means that another rank holds the class.
            All ranks pass the same ``target`` and get the same loss; only per-sample numbers are exchanged.

    Returns:
        The loss, a scalar.
    """
    result: Tensor = _CrossEntropy.apply(others, target, columns, scale, sharded)  # type: ignore[no-untyped-call]
    return result


def _logsumexp_over_ranks(local: Tensor) -> Tensor:
    peak = local.clone()
    dist.all_reduce(peak, dist.ReduceOp.MAX)
    total = (local - peak).exp()
    dist.all_reduce(total)
    return peak + total.log()


@dataclass(frozen=True)
class Scores:
    """Products of a batch with the class centres."""

    others: Tensor  # (batch, columns) products; the target's column holds the target's product
    target: Tensor  # (batch,) product with the own class
    columns: Tensor  # (batch,) the own class's column, −1 if another rank holds it
    norms: Tensor  # (batch,) norms of the features
    angles: Angles
    sharded: bool = False


def _of_all_ranks(scores: Scores) -> tuple[Tensor, Tensor]:
    """The own class's products and the features' norms of the whole batch, which margins keep means of."""
    target, norms = scores.target.detach(), scores.norms.detach()
    if scores.sharded or rank_and_world()[1] == 1:  # the scores of shards are of the whole batch
        return target, norms
    return gathered(target), gathered(norms)


class Head(nn.Module, ABC):
    """Class centres, a margin and additional terms; takes raw features and normalises them itself.

    Args:
        classes: Number of classes, at least 2.
        dimensions: Length of a feature.
        margin: Any margin of `handshift.embedding.train.margins`.
        terms: Terms added to the cross-entropy.

    Raises:
        HandshiftError: Too few classes or dimensions, or terms on angles with an unnormalised softmax.
    """

    centres: nn.Parameter
    bias: nn.Parameter | None

    def __init__(self, classes: int, dimensions: int, margin: Margin, terms: Sequence[Term] = ()) -> None:
        super().__init__()
        if classes < 2 or dimensions < 1:
            raise HandshiftError(
                f"A head needs at least 2 classes and 1 dimension; {classes} and {dimensions} were given."
            )
        if margin.raw and terms:
            raise HandshiftError(
                "Intra and inter terms are angles, which the softmax without normalisation does not have. "
                "Use the margin 'normalised-softmax' with them."
            )
        self.classes, self.dimensions, self.margin, self.terms = classes, dimensions, margin, tuple(terms)

    def _make_centres(self, *shape: int, generator: torch.Generator | None = None) -> None:
        # About unit length: a longer centre rotates more slowly at a given step size, and the features
        # learn little until the centres have a direction.
        spread = self.dimensions**-0.5
        self.centres = nn.Parameter(spread * torch.randn(*shape, self.dimensions, generator=generator))
        self.bias = nn.Parameter(torch.zeros(*shape)) if self.margin.raw else None

    @abstractmethod
    def directions(self) -> Tensor:
        """Return the centres as detached unit rows: (classes, d), or (classes, K, d) with K each."""

    @abstractmethod
    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Compare the batch with the centres its loss is computed over; features in full precision."""

    def all_scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Compare the batch with all centres, one column for each class in order."""
        return self.scores(features, labels)

    def logits(self, features: Tensor, labels: Tensor) -> Tensor:
        """Compute logits with the margin applied; running statistics are not updated.

        Args:
            features: (batch, dimensions), raw.
            labels: (batch,) class numbers.

        Returns:
            (batch, classes).

        Raises:
            HandshiftError: The batch is empty or a label is out of range.
        """
        with torch.autocast(features.device.type, enabled=False):
            self._check(labels)
            scores = self.all_scores(at_least_float32(features), labels)
            target = self.margin.target(scores.target, scores.norms)
            others = self.margin.others(scores.others, scores.target)
            own = torch.arange(others.shape[1], device=others.device) == scores.columns[:, None]
            return self.margin.scale * torch.where(own, target[:, None], others)

    def loss(self, features: Tensor, labels: Tensor) -> Tensor:
        """Compute the mean cross-entropy of the margin logits plus the terms, at least in float32.

        Args:
            features: (batch, dimensions), raw.
            labels: (batch,) class numbers.

        Returns:
            A scalar.

        Raises:
            HandshiftError: The batch is empty or a label is out of range.
        """
        with torch.autocast(features.device.type, enabled=False):
            self._check(labels)
            scores = self.scores(at_least_float32(features), labels)
            if self.training:
                self.margin.observe(*_of_all_ranks(scores))
            target = self.margin.target(scores.target, scores.norms)
            others = self.margin.others(scores.others, scores.target)
            loss = cross_entropy(others, target, scores.columns, self.margin.scale, sharded=scores.sharded)
            for term in self.terms:
                loss = loss + term(scores.angles)
            return loss

    def _check(self, labels: Tensor) -> None:
        if labels.numel() == 0:
            raise HandshiftError("A loss needs at least one sample, and the batch is empty.")
        least, most = int(labels.min()), int(labels.max())
        if least < 0 or most >= self.classes:
            wrong = least if least < 0 else most
            raise HandshiftError(
                f"Label {wrong} is not among the {self.classes} classes 0…{self.classes - 1}."
            )

    def products(self, features: Tensor, norms: Tensor, centres: Tensor, bias: Tensor | None) -> Tensor:
        """Compute cosines, or w·x + b for a raw margin; centres (columns, d) → (batch, columns)."""
        centres = at_least_float32(centres).to(features.dtype)
        if bias is not None:
            return F.linear(features, centres, bias.to(features.dtype))
        return cosines(unit_rows(features, norms), centres)

    def extra_repr(self) -> str:
        """Parameters shown by ``repr``."""
        return f"classes={self.classes}, dimensions={self.dimensions}"
