"""Train on the tail: only the largest distances count."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.reconstruction_loss import ReconstructionLoss


class TopQLoss(ReconstructionLoss):
    """Mean over the k largest of the distances meant over groups, k = max(``least``, q %·number of points).

    As the source codes it: over the whole batch, no hard mining, and q falls in a line from 100 to ``q`` over
    the first ``ramp`` steps (0: from the beginning). ``over="map"`` takes the q % of each map instead, so
    that one odd map cannot take all the places. ``least`` is 100 of the source's 12,544 points a batch.
    """

    def __init__(
        self, q: float = 5.0, ramp: int = 200, least: int = 100, over: Literal["batch", "map"] = "batch"
    ) -> None:
        super().__init__()
        if not 0 < q <= 100:
            raise ValueError(f"q is a percentage above 0 and up to 100, not {q}")
        self.q, self.ramp, self.least, self.over = q, ramp, least, over

    def percentage(self, step: int) -> float:
        """q of this step."""
        return 100 - (100 - self.q) * min(1.0, step / self.ramp) if self.ramp else self.q

    def count(self, points: int, step: int) -> int:
        """How many of ``points`` count in this step."""
        return min(points, max(self.least, int(points * self.percentage(step) / 100)))

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """The loss."""
        joined = cosine_distances(features, reconstruction).mean(dim=1)  # (B, T)
        points = joined.flatten() if self.over == "batch" else joined
        return points.topk(self.count(points.shape[-1], step), dim=-1).values.mean()
