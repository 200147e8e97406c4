"""Points that are given back well already pull less.

Dinomaly's own loss.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.distance import point_distances
from handshift.healthmap.dinomaly.losses.loss import ReconstructionLoss


def slowed_easy_points(given_back: Tensor, distances: Tensor, easy: float, factor: float) -> Tensor:
    """The same values, whose gradient is multiplied by ``factor`` at the ``easy`` share of smallest distance.

    ``given_back`` (B, T, width), ``distances`` (B, T): the share is taken over the whole batch.
    """
    hard = int(distances.numel() * (1 - easy))
    if hard >= distances.numel():
        return given_back
    limit = distances.flatten().topk(max(hard, 1)).values[-1]
    is_easy = (distances < limit).unsqueeze(-1)
    slowed = given_back * factor + given_back.detach() * (1 - factor)
    return slowed.where(is_easy, given_back)


class HardMinedLoss(ReconstructionLoss):
    """mean_g mean_b (1 − cos of the whole map's features), easy points' gradient times ``factor``.

    A map's features are one vector (T·width), as published. The share of easy points rises in a line to
    ``easy`` over ``ramp`` steps: at first nothing is easy.
    """

    def __init__(self, easy: float = 0.9, factor: float = 0.1, ramp: int = 1000) -> None:
        super().__init__()
        self.easy, self.factor, self.ramp = easy, factor, ramp

    def share(self, step: int) -> float:
        """Share of points that count as easy in this step."""
        return self.easy * min(1.0, step / self.ramp) if self.ramp else self.easy

    def forward(self, features: Tensor, given_back: Tensor, step: int) -> Tensor:
        """The loss."""
        features = features.detach()
        with torch.no_grad():
            distances = point_distances(features, given_back)
        losses = []
        for group in range(features.shape[1]):
            slowed = slowed_easy_points(
                given_back[:, group], distances[:, group], self.share(step), self.factor
            )
            whole = F.cosine_similarity(features[:, group].flatten(1), slowed.flatten(1), dim=1)
            losses.append((1 - whole).mean())
        return torch.stack(losses).mean()
