"""Top-q loss: the mean of the q % largest reconstruction distances."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.reconstruction_loss import ReconstructionLoss


class TopQLoss(ReconstructionLoss):
    """Mean of the k largest distances, averaged over groups, with k = max(``least``, q %·number of points).

    As in the source's code: top-k over the whole batch, without hard mining; q falls linearly from 100 to
    ``q`` over the first ``ramp`` steps (0: constant).

    Args:
        q: Percentage of points.
        ramp: Steps of the linear schedule.
        least: Lower bound of k; the source's is 100 of 12,544 points in a batch.
        over: ``batch``, or ``map`` for the q % of each map.

    Raises:
        ValueError: q is not a percentage above 0.
    """

    def __init__(
        self, q: float = 5.0, ramp: int = 200, least: int = 100, over: Literal["batch", "map"] = "batch"
    ) -> None:
        super().__init__()
        if not 0 < q <= 100:
            raise ValueError(f"q is a percentage above 0 and up to 100, not {q}")
        self.q, self.ramp, self.least, self.over = q, ramp, least, over

    def percentage(self, step: int) -> float:
        """q in this step."""
        return 100 - (100 - self.q) * min(1.0, step / self.ramp) if self.ramp else self.q

    def count(self, points: int, step: int) -> int:
        """k in this step, of ``points``."""
        return min(points, max(self.least, int(points * self.percentage(step) / 100)))

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        distances = cosine_distances(features, reconstruction).mean(dim=1)  # (B, T)
        points = distances.flatten() if self.over == "batch" else distances
        return points.topk(self.count(points.shape[-1], step), dim=-1).values.mean()
