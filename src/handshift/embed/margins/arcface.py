"""ArcFace: an additive angular margin on the target class."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812


class ArcFace(nn.Module):
    """logit_y = s·cos(θ_y + m), logit_j = s·cos θ_j for the other classes.

    Where θ_y + m would pass π, cos is continued by the line cos θ_y − m·sin(π − m), so that the target
    logit keeps falling as the angle grows.
    """

    def __init__(self, classes: int, dimensions: int, scale: float = 24.0, margin: float = 0.2) -> None:
        super().__init__()
        self.scale, self.margin = scale, margin
        self.centres = nn.Parameter(torch.randn(classes, dimensions))

    def logits(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """(batch, dimensions) unit rows, (batch,) → (batch, classes)."""
        cosine = F.linear(vectors, F.normalize(self.centres, dim=1))
        target = cosine.gather(1, labels[:, None])  # (batch, 1)
        sine = (1.0 - target * target).clamp_min(1e-6).sqrt()
        shifted = target * math.cos(self.margin) - sine * math.sin(self.margin)
        past = target < math.cos(math.pi - self.margin)
        shifted = torch.where(past, target - self.margin * math.sin(math.pi - self.margin), shifted)
        return self.scale * cosine.scatter(1, labels[:, None], shifted.to(cosine.dtype))

    def loss(self, vectors: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy of the margin logits."""
        return F.cross_entropy(self.logits(vectors, labels), labels)
