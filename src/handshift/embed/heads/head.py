"""From features and labels to logits and a loss, whatever the margin and however the centres are kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.embed.heads.cross_entropy import cross_entropy
from handshift.embed.heads.features import unit_rows, widened_precision
from handshift.embed.heads.products import cosines
from handshift.embed.margins.margin import Margin
from handshift.embed.margins.term import Angles, Term
from handshift.error import HandshiftError


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
