"""Which triplets of a batch are worth learning from.

A miner takes distances (batch, batch), the positive and negative candidates (batch, batch) and the loss's
margin, and gives (batch, batch, batch) of bool: [a, p, n] is true where anchor, positive and negative count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.error import HandshiftError

Miner = Callable[[Tensor, Tensor, Tensor, float], Tensor]


def every(distance: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """All of them."""
    return positive[:, :, None] & negative[:, None, :]


def semi_hard(distance: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """0 < d_an − d_ap ≤ m: in the right order, but not far enough apart (FaceNet)."""
    gap = distance[:, None, :] - distance[:, :, None]  # (a, p, n)
    return every(distance, positive, negative, margin) & (gap > 0) & (gap <= margin)


def hard(distance: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """For each anchor its farthest positive with its nearest negative (batch hard, Hermans et al. 2017)."""
    farthest = distance.masked_fill(~positive, -torch.inf).argmax(dim=1)
    nearest = distance.masked_fill(~negative, torch.inf).argmin(dim=1)
    size = len(distance)
    chosen = F.one_hot(farthest, size).bool()[:, :, None] & F.one_hot(nearest, size).bool()[:, None, :]
    return every(distance, positive, negative, margin) & chosen


MINERS: Mapping[str, Miner] = {"all": every, "semi-hard": semi_hard, "hard": hard}


def miner_named(name: str) -> Miner:
    """The miner of that name."""
    if name not in MINERS:
        raise HandshiftError(f"There is no miner {name!r}. Choose one of: {', '.join(MINERS)}.")
    return MINERS[name]
