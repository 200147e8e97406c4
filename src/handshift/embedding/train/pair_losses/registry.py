"""Pair losses by name."""

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
    """Build a pair loss by name.

    Args:
        name: A key of `PAIR_LOSSES`.
        **options: Its parameters; ``miner`` is one of all, semi-hard, hard.

    Returns:
        The loss.

    Raises:
        HandshiftError: No loss has that name, or it has no such option.
    """
    return lookup("pair loss", PAIR_LOSSES, name, options)(**options)
