"""Hard mining: down-weight well-reconstructed points. Dinomaly's published loss."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.cosine_distance import cosine_distances
from handshift.healthmap.dinomaly.losses.reconstruction_loss import ReconstructionLoss


def scale_easy_gradients(reconstruction: Tensor, distances: Tensor, easy: float, factor: float) -> Tensor:
    """Keep the values and multiply the gradient of easy points by ``factor``.

    Args:
        reconstruction: (B, T, width).
        distances: (B, T).
        easy: Share of points with the smallest distances over the whole batch that count as easy.
        factor: Of their gradient.

    Returns:
        ``reconstruction`` with scaled gradients.
    """
    hard = int(distances.numel() * (1 - easy))
    if hard >= distances.numel():
        return reconstruction
    limit = distances.flatten().topk(max(hard, 1)).values[-1]
    is_easy = (distances < limit).unsqueeze(-1)
    scaled = reconstruction * factor + reconstruction.detach() * (1 - factor)
    return scaled.where(is_easy, reconstruction)


class HardMinedLoss(ReconstructionLoss):
    """mean_g mean_b (1 − cos of the whole map's features); gradients of easy points are times ``factor``.

    The features of a map are one vector (T·width), as published. The share of easy points rises linearly from
    0 to ``easy`` over ``ramp`` steps.

    Args:
        easy: Final share of easy points.
        factor: Of their gradient.
        ramp: Steps over which the share rises; 0 for the final share from the start.
    """

    def __init__(self, easy: float = 0.9, factor: float = 0.1, ramp: int = 1000) -> None:
        super().__init__()
        self.easy, self.factor, self.ramp = easy, factor, ramp

    def share(self, step: int) -> float:
        """Share of easy points in this step."""
        return self.easy * min(1.0, step / self.ramp) if self.ramp else self.easy

    def forward(self, features: Tensor, reconstruction: Tensor, step: int) -> Tensor:
        """(B, G, T, width) twice → scalar."""
        features = features.detach()
        with torch.no_grad():
            distances = cosine_distances(features, reconstruction)
        losses = []
        for group in range(features.shape[1]):
            scaled = scale_easy_gradients(
                reconstruction[:, group], distances[:, group], self.share(step), self.factor
            )
            cosine = F.cosine_similarity(features[:, group].flatten(1), scaled.flatten(1), dim=1)
            losses.append((1 - cosine).mean())
        return torch.stack(losses).mean()
