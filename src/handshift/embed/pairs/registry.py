"""Pair and set losses by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handshift.embed.margins.registry import lookup
from handshift.embed.pairs.contrastive import Contrastive
from handshift.embed.pairs.pair_loss import PairLoss
from handshift.embed.pairs.triplet import AngularTriplet, Triplet
from handshift.embed.pairs.tuplet import Tuplet

PAIR_LOSSES: Mapping[str, Callable[..., PairLoss]] = {
    "contrastive": Contrastive,
    "triplet": Triplet,
    "angular-triplet": AngularTriplet,
    "tuplet": Tuplet,
}


def make_pair_loss(name: str, **options: Any) -> PairLoss:
    """The loss of that name; ``miner`` among the options is one of all, semi-hard, hard."""
    return lookup("pair loss", PAIR_LOSSES, name, options)(**options)
