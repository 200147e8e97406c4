"""Training objectives: a margin loss over classes, or a loss on the pairs of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads import Head, make_head
from handshift.embedding.train.heads.distributed_ops import gather_features, gathered, rank_and_world
from handshift.embedding.train.heads.registry import make_term
from handshift.embedding.train.margins import make_margin
from handshift.embedding.train.pair_losses import PairLoss, make_pair_loss
from handshift.embedding.train.recipe import Recipe

Values = Mapping[str, float | Tensor]


class ClassObjective(nn.Module):
    """Cross-entropy with the margin, and the accuracy of the nearest centre."""

    def __init__(self, head: Head) -> None:
        super().__init__()
        self.head = head

    @property
    def shards(self) -> nn.Module | None:
        """The head, if its centres are sharded over ranks."""
        return self.head if len(self.head.directions()) < self.head.classes else None

    def forward(
        self, features: Tensor, labels: Tensor, groups: Tensor, strength: float
    ) -> tuple[Tensor, Values]:
        """(batch, dimensions) raw, (batch,) classes, (batch,) groups, the margin's share → loss."""
        self.head.margin.strength = strength
        loss = self.head.loss(features, labels)
        return loss, {} if self.shards else {"accuracy": self._accuracy(features.detach(), labels)}

    @torch.no_grad()
    def _accuracy(self, features: Tensor, labels: Tensor) -> Tensor:
        directions = self.head.directions()  # (classes, dimensions) or (classes, K, dimensions)
        cosines = F.normalize(features.float(), dim=1) @ directions.flatten(0, -2).T
        nearest = cosines.argmax(dim=1) // (directions.shape[1] if directions.ndim == 3 else 1)
        return (nearest == labels).float().mean()


class PairObjective(nn.Module):
    """A loss on the pairs or tuples within a batch; a positive pair is of two groups."""

    def __init__(self, pairs: PairLoss) -> None:
        super().__init__()
        self.pairs = pairs
        self.shards = None

    def forward(
        self, features: Tensor, labels: Tensor, groups: Tensor, strength: float
    ) -> tuple[Tensor, Values]:
        """As `ClassObjective.forward`; `strength` is unused. Pairs are of the words of all processes."""
        if rank_and_world()[1] > 1:
            features = gather_features(features, used_in_parts=False)
            labels, groups = gathered(labels), gathered(groups)
        return self.pairs.loss(features, labels, groups), {}


def make_objective(recipe: Recipe, classes: int, dimensions: int) -> ClassObjective | PairObjective:
    """Build the recipe's loss over `classes` classes.

    Raises:
        HandshiftError: A name or an option in the recipe does not exist.
    """
    options = _by_part(recipe.options)
    sizes = {"margin": recipe.margin_size, "scale": recipe.scale}
    given: dict[str, Any] = {name: size for name, size in sizes.items() if size is not None}
    if recipe.loss != "margin":
        given |= {} if recipe.miner is None else {"miner": recipe.miner}
        return PairObjective(make_pair_loss(recipe.loss, **(given | options["loss"])))
    margin = make_margin(recipe.margin, classes, **(given | options["margin"]))
    of_head = options["head"] | ({} if recipe.centres is None else {"centres": recipe.centres})
    terms = [make_term(name) for name in recipe.terms]
    return ClassObjective(make_head(recipe.head, classes, dimensions, margin, terms=terms, **of_head))


def _by_part(options: Mapping[str, float | str]) -> dict[str, dict[str, Any]]:
    """`{"margin.m1": 0.9}` → `{"margin": {"m1": 0.9}, …}`."""
    parts: dict[str, dict[str, Any]] = {"margin": {}, "head": {}, "loss": {}}
    for key, value in options.items():
        part, dot, name = key.partition(".")
        if part not in parts or not dot:
            raise HandshiftError(f"--loss-options {key}={value}: begin with margin., head. or loss.")
        parts[part][name] = value
    return parts
