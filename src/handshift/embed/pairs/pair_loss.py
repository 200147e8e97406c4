"""What all pair and set losses share: unit features, candidates, a miner."""

from __future__ import annotations

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from handshift.embed.heads.features import lengths, unit_rows, widened_precision
from handshift.embed.pairs.candidates import candidates
from handshift.embed.pairs.miners import miner_named


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
