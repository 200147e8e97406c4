"""Cross-entropy of logits whose target is given apart, on one process or over shards of the classes.

From features and labels to logits and a loss, whatever the margin and however the centres are kept.
"""

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
from handshift.embedding.train.heads.cosines import cosines, unit_rows, widened_precision
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


@dataclass(frozen=True)
class Scores:
    """A batch beside the centres it is compared with."""

    others: Tensor  # (batch, columns) products; the target's column holds the target's product
    target: Tensor  # (batch,) product with the own class
    columns: Tensor  # (batch,) the own class's column, −1 if another rank holds it
    norms: Tensor  # (batch,) lengths of the features
    angles: Angles
    sharded: bool = False


class Head(nn.Module, ABC):
    """Class centres, a margin and perhaps further terms; takes features as the network gives them."""

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
        # About unit length: a longer centre turns more slowly under steps of a given size, and the features
        # learn little until the centres point somewhere.
        spread = self.dimensions**-0.5
        self.centres = nn.Parameter(spread * torch.randn(*shape, self.dimensions, generator=generator))
        self.bias = nn.Parameter(torch.zeros(*shape)) if self.margin.raw else None

    @abstractmethod
    def directions(self) -> Tensor:
        """Centres as unit rows, detached: (classes, dimensions), or (classes, K, dimensions) with K each."""

    @abstractmethod
    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """The batch beside the centres its loss is computed with; features in full precision."""

    def all_scores(self, features: Tensor, labels: Tensor) -> Scores:
        """The batch beside all centres, a column for each class in order."""
        return self.scores(features, labels)

    def logits(self, features: Tensor, labels: Tensor) -> Tensor:
        """(batch, dimensions), (batch,) → (batch, classes), margin applied, statistics left as they are."""
        with torch.autocast(features.device.type, enabled=False):
            self._check(labels)
            scores = self.all_scores(widened_precision(features), labels)
            target = self.margin.target(scores.target, scores.norms)
            others = self.margin.others(scores.others, scores.target)
            own = torch.arange(others.shape[1], device=others.device) == scores.columns[:, None]
            return self.margin.scale * torch.where(own, target[:, None], others)

    def loss(self, features: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy of the margin logits, and the terms; at least in single precision."""
        with torch.autocast(features.device.type, enabled=False):
            self._check(labels)
            scores = self.scores(widened_precision(features), labels)
            if self.training:
                self.margin.observe(scores.target.detach(), scores.norms.detach())
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
            raise HandshiftError(f"Label {wrong} is none of the {self.classes} classes 0…{self.classes - 1}.")

    def products(self, features: Tensor, norms: Tensor, centres: Tensor, bias: Tensor | None) -> Tensor:
        """Cosines, or w·x + b for a raw margin; centres (columns, dimensions) → (batch, columns)."""
        centres = widened_precision(centres).to(features.dtype)
        if bias is not None:
            return F.linear(features, centres, bias.to(features.dtype))
        return cosines(unit_rows(features, norms), centres)

    def extra_repr(self) -> str:
        """What ``print`` shows."""
        return f"classes={self.classes}, dimensions={self.dimensions}"
