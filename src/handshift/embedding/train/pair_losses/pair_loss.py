"""Which pairs of a batch may be drawn together and which apart.

Which triplets of a batch are worth learning from.

A miner takes distances (batch, batch), the positive and negative candidates (batch, batch) and the loss's
margin, and gives (batch, batch, batch) of bool: [a, p, n] is true where anchor, positive and negative count.

What all pair and set losses share: unit features, candidates, a miner.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.cosines import lengths, unit_rows, widened_precision


def candidates(labels: Tensor, groups: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """(batch,), (batch,) → positive and negative, each (batch, batch) of bool.

    With ``groups`` (the writing session, say) positives come only from different groups, so that what a
    group has in common, pen, paper and scanner, cannot stand for the class. Negatives come from anywhere.
    """
    if labels.numel() == 0:
        raise HandshiftError("A loss needs at least one sample, and the batch is empty.")
    alike = labels[:, None] == labels
    positive = alike & ~torch.eye(len(labels), dtype=torch.bool, device=labels.device)
    if groups is not None:
        positive &= groups[:, None] != groups
    return positive, ~alike


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


class PairLoss(nn.Module, ABC):
    """Takes features as the network gives them and brings them to unit length itself, as heads do."""

    def __init__(self, margin: float, miner: str = "all") -> None:
        super().__init__()
        self.margin, self.miner = margin, miner
        self._mine = miner_named(miner)

    def loss(self, features: Tensor, labels: Tensor, groups: Tensor | None = None) -> Tensor:
        """(batch, dimensions), (batch,) → a number; with ``groups`` (batch,) positives only across groups.

        A batch without any pair to learn from gives 0, and gradients of 0.
        """
        with torch.autocast(features.device.type, enabled=False):
            features = widened_precision(features)
            return self.over(unit_rows(features, lengths(features)), *candidates(labels, groups))

    @abstractmethod
    def over(self, unit: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """(batch, dimensions) unit rows, candidates (batch, batch) → a number."""

    def mined(self, distance: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """(batch, batch, batch) of bool: the triplets [a, p, n] the miner keeps."""
        return self._mine(distance.detach(), positive, negative, self.margin)

    def extra_repr(self) -> str:
        """What ``print`` shows."""
        return f"margin={self.margin}, miner={self.miner}"


def euclidean(unit: Tensor) -> Tensor:
    """‖x̂_i − x̂_j‖, (batch, batch); from differences, since the product's rounding drowns small distances."""
    return torch.cdist(unit, unit, compute_mode="donot_use_mm_for_euclid_dist")


def mean_of_active(losses: Tensor) -> Tensor:
    """Mean over the entries above zero, so that what is learnt does not dilute the rest; 0 if none are."""
    return losses.sum() / (losses > 0).sum().clamp_min(1)
