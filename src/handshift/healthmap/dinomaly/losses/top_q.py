"""Top-q loss: the mean of the q % largest reconstruction distances."""

from __future__ import annotations

import logging
from typing import Literal

from torch import Tensor

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.reconstruction_loss import ReconstructionLoss

log = logging.getLogger(__name__)


class TopQLoss(ReconstructionLoss):
    """Mean of the k largest distances, averaged over groups, with k = q % of the points, at least one.

    As in the source's code: top-k over the whole batch, without hard mining; q falls linearly from 100 to
    ``q`` over the first ``ramp`` steps (0: constant).

    Args:
        q: Percentage of points.
        ramp: Steps of the linear schedule.
        least: Lower bound of k, logged when it binds; the source's is 100 of 12,544 points in a batch.
        over: ``batch``, or ``map`` for the q % of each map.

    Raises:
        ValueError: q is not a percentage above 0.
    """

    def __init__(
        self, q: float = 5.0, ramp: int = 200, least: int = 1, over: Literal["batch", "map"] = "batch"
    ) -> None:
        super().__init__()
        if not 0 < q <= 100:
            raise ValueError(f"q is a percentage above 0 and up to 100, not {q}")
        if least < 1:
            raise ValueError(f"least is a number of points, at least 1, not {least}")
        if over not in ("batch", "map"):
            raise ValueError(f"over is batch or map, not {over!r}")
        self.q, self.ramp, self.least, self.over = q, ramp, least, over
        self._warned = False

    def percentage(self, step: int) -> float:
        """q in this step."""
        return 100 - (100 - self.q) * min(1.0, step / self.ramp) if self.ramp else self.q

    def count(self, points: int, step: int) -> int:
        """k in this step, of ``points``."""
        wanted = round(points * self.percentage(step) / 100)
        if self.least > max(1, wanted) and not self._warned:
            log.warning(
                "top-q: least %d binds: %g %% of %d points are %d",
                self.least, self.percentage(step), points, wanted,
            )  # fmt: skip
            self._warned = True
        return min(points, max(self.least, wanted))

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        distances = cosine_distances(features, reconstruction).mean(dim=1)  # (B, T)
        points = distances.flatten() if self.over == "batch" else distances
        return points.topk(self.count(points.shape[-1], step), dim=-1).values.mean()
