"""Pair and set losses by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handshift.embedding.train.margins.registry import lookup
from handshift.embedding.train.pair_losses.contrastive import Contrastive
from handshift.embedding.train.pair_losses.pair_loss import PairLoss
from handshift.embedding.train.pair_losses.triplet import AngularTriplet, Triplet
from handshift.embedding.train.pair_losses.tuplet import Tuplet

PAIR_LOSSES: Mapping[str, Callable[..., PairLoss]] = {
    "contrastive": Contrastive,
    "triplet": Triplet,
    "angular-triplet": AngularTriplet,
    "tuplet": Tuplet,
}


def make_pair_loss(name: str, **options: Any) -> PairLoss:
    """The loss of that name; ``miner`` among the options is one of all, semi-hard, hard."""
    return lookup("pair loss", PAIR_LOSSES, name, options)(**options)
