"""Partial FC: softmax over a sample of the class centres, which are sharded over ranks (An et al. 2021)."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.cosines import at_least_float32, cosines, row_norms, split_target
from handshift.embedding.train.heads.distributed_ops import (
    gather_features,
    gathered,
    rank_and_world,
    sum_over_ranks,
    summed,
)
from handshift.embedding.train.heads.head import Head, Scores
from handshift.embedding.train.margins.combined_margin import angle
from handshift.embedding.train.margins.margin import Margin
from handshift.embedding.train.margins.terms import Angles, Term


class PartialFC(Head):
    """The softmax runs over the batch's own classes and a random sample of the others.

    The batch's classes are always included; in evaluation all classes are. Under ``torch.distributed`` rank r
    holds every centre j with first ≤ j < first + held; the features and labels of all ranks are gathered on
    each, centres are never exchanged, and the loss is the mean over the whole batch, the same on every rank.
    Each rank must give the same number of features. In a module wrapped for DDP, call ``keep_shards_apart``
    first.

    Args:
        classes: Number of classes, at least the number of ranks.
        dimensions: Length of a feature.
        margin: Any margin.
        terms: Terms added to the cross-entropy.
        sample: Up to 1 the share of each rank's centres used in a training step, above 1 their number.
        sparse: Give ``centres`` a sparse gradient of the sampled rows, for ``torch.optim.SparseAdam`` or
            plain SGD, whose step then costs as much as the sample and not as all classes.

    Raises:
        HandshiftError: `sample` is not above 0, or there are fewer classes than ranks.
    """

    def __init__(
        self,
        classes: int,
        dimensions: int,
        margin: Margin,
        terms: Sequence[Term] = (),
        sample: float = 0.1,
        sparse: bool = False,
    ) -> None:
        super().__init__(classes, dimensions, margin, terms)
        if not sample > 0:
            raise HandshiftError(f"Partial FC must sample more than 0 of the classes; {sample} was given.")
        rank, self._world = rank_and_world()
        if classes < self._world:
            raise HandshiftError(f"{classes} classes cannot be spread over {self._world} ranks.")
        self.first = classes * rank // self._world
        self.held = classes * (rank + 1) // self._world - self.first
        self.sparse = sparse
        self.sampled = min(self.held, round(sample * self.held if sample <= 1 else sample) or 1)
        # All ranks share one seed; without a seed of its own every shard would start with the same centres.
        own_seed = torch.Generator().manual_seed(torch.initial_seed() + 1 + rank)
        self._make_centres(self.held, generator=own_seed if self._world > 1 else None)

    def directions(self) -> Tensor:
        """Return (held, dimensions) unit rows: all classes, or this rank's under ``torch.distributed``."""
        return F.normalize(self.centres.detach(), dim=1)

    def scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Compare with the sampled classes in training, with all that this rank holds in evaluation."""
        if not self.training or self.sampled == self.held:
            return self.all_scores(features, labels)
        features, place = self._whole_batch(features, labels)
        index = self._sample(place)
        columns = torch.where(place >= 0, torch.searchsorted(index, place), -1)
        bias = None if self.bias is None else self.bias[index]
        return self._compare(features, columns, F.embedding(index, self.centres, sparse=self.sparse), bias)

    def all_scores(self, features: Tensor, labels: Tensor) -> Scores:
        """Compare the batch of all ranks with all classes that this rank holds, in order."""
        features, place = self._whole_batch(features, labels)
        return self._compare(features, place, self.centres, self.bias)

    def _whole_batch(self, features: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        """All ranks' features, and each label's row of ``centres``, −1 if another rank holds it."""
        if self._world > 1:
            features, labels = gather_features(features, used_in_parts=True), gathered(labels)
        place = labels - self.first
        return features, torch.where((place >= 0) & (place < self.held), place, -1)

    @torch.no_grad()
    def _sample(self, place: Tensor) -> Tensor:
        """Rows that take part, in order: the batch's own and a random choice of the rest."""
        own = torch.unique(place[place >= 0])
        lot = torch.rand(self.held, device=place.device)
        lot[own] = 2.0
        return lot.topk(max(self.sampled, len(own)), sorted=False).indices.sort().values

    def _compare(self, features: Tensor, columns: Tensor, centres: Tensor, bias: Tensor | None) -> Scores:
        norms = row_norms(features)
        others, target = split_target(self.products(features, norms, centres, bias), columns.clamp_min(0))
        if self._world > 1:
            target = sum_over_ranks(torch.where(columns >= 0, target, 0.0), used_in_parts=False)
        angles = Angles(target, lambda: self._between(columns, centres))
        return Scores(others, target, columns, norms, angles, sharded=self._world > 1)

    def _between(self, columns: Tensor, centres: Tensor) -> Tensor:
        centres = at_least_float32(centres)
        here, at = columns[:, None] >= 0, columns.clamp_min(0)
        own = torch.where(here, centres[at], 0.0)  # (batch, dimensions)
        count = torch.tensor(len(centres), device=columns.device)
        if self._world > 1:
            own, count = sum_over_ranks(own, used_in_parts=True), summed(count)
        apart = angle(cosines(F.normalize(own, dim=1), centres))  # (batch, columns)
        kept = torch.where(here, 0.0, apart.gather(1, at[:, None]))
        total = apart.scatter(1, at[:, None], kept).sum(dim=1)
        if self._world > 1:
            total = sum_over_ranks(total, used_in_parts=False)
        return total / (count - 1)
