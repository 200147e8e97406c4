"""Base class of pair losses: candidate pairs, triplet miners, normalised features.

A miner takes distances (batch, batch), the positive and negative candidates (batch, batch) and the loss's
margin, and returns (batch, batch, batch) of bool: [a, p, n] is true where the triplet is used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads.cosines import at_least_float32, row_norms, unit_rows


def candidates(labels: Tensor, groups: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Find the positive and negative pairs of a batch.

    Args:
        labels: (batch,) classes.
        groups: (batch,) groups such as writing sessions: positives are then taken across groups only, so that
            what a group shares (pen, paper, scanner) cannot identify the class.

    Returns:
        Positive and negative pairs, each (batch, batch) of bool.

    Raises:
        HandshiftError: The batch is empty.
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
    """Keep all triplets."""
    return positive[:, :, None] & negative[:, None, :]


def semi_hard(distance: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Keep triplets with 0 < d_an − d_ap ≤ m: correctly ordered but within the margin (FaceNet)."""
    gap = distance[:, None, :] - distance[:, :, None]  # (a, p, n)
    return every(distance, positive, negative, margin) & (gap > 0) & (gap <= margin)


def hard(distance: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """Keep each anchor's farthest positive and nearest negative (batch hard, Hermans et al. 2017)."""
    farthest = distance.masked_fill(~positive, -torch.inf).argmax(dim=1)
    nearest = distance.masked_fill(~negative, torch.inf).argmin(dim=1)
    size = len(distance)
    chosen = F.one_hot(farthest, size).bool()[:, :, None] & F.one_hot(nearest, size).bool()[:, None, :]
    return every(distance, positive, negative, margin) & chosen


MINERS: Mapping[str, Miner] = {"all": every, "semi-hard": semi_hard, "hard": hard}


def miner_named(name: str) -> Miner:
    """Look up a miner; HandshiftError if there is none of that name."""
    if name not in MINERS:
        raise HandshiftError(f"There is no miner {name!r}. Choose one of: {', '.join(MINERS)}.")
    return MINERS[name]


class PairLoss(nn.Module, ABC):
    """Takes raw features and normalises them itself, as heads do.

    Args:
        margin: Margin of the loss.
        miner: A key of `MINERS`.
    """

    def __init__(self, margin: float, miner: str = "all") -> None:
        super().__init__()
        self.margin, self.miner = margin, miner
        self._mine = miner_named(miner)

    def loss(self, features: Tensor, labels: Tensor, groups: Tensor | None = None) -> Tensor:
        """Compute the loss; a batch without usable pairs gives 0 with zero gradients.

        Args:
            features: (batch, dimensions), raw.
            labels: (batch,) classes.
            groups: (batch,) groups; with them positives are taken across groups only.

        Returns:
            A scalar.

        Raises:
            HandshiftError: The batch is empty.
        """
        with torch.autocast(features.device.type, enabled=False):
            features = at_least_float32(features)
            return self.over(unit_rows(features, row_norms(features)), *candidates(labels, groups))

    @abstractmethod
    def over(self, unit: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Compute the loss from unit rows (batch, dimensions) and candidate pairs (batch, batch)."""

    def mined(self, distance: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Return (batch, batch, batch) of bool: the triplets [a, p, n] that the miner keeps."""
        return self._mine(distance.detach(), positive, negative, self.margin)

    def extra_repr(self) -> str:
        """Parameters shown by ``repr``."""
        return f"margin={self.margin}, miner={self.miner}"


def euclidean(unit: Tensor) -> Tensor:
    """Compute ‖x̂_i − x̂_j‖, (batch, batch), from differences: x·y would lose small distances to rounding."""
    return torch.cdist(unit, unit, compute_mode="donot_use_mm_for_euclid_dist")


def mean_of_active(losses: Tensor) -> Tensor:
    """Average the losses above zero, so that satisfied pairs do not dilute the rest; 0 if there are none."""
    return losses.sum() / (losses > 0).sum().clamp_min(1)
