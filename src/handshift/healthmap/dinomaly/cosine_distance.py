"""How far what was given back lies from what was there."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.decoder import Decoder


def cosine_distances(features: Tensor, reconstruction: Tensor) -> Tensor:
    """1 − cos of each patch: (B, G, T, width) twice → (B, G, T), 0…2."""
    return 1 - F.cosine_similarity(features.detach(), reconstruction, dim=-1)


class ReconstructionDistance(nn.Module):
    """Fused features → distance of each patch in each group (B, 2, T): what is exported."""

    def __init__(self, decoder: Decoder) -> None:
        super().__init__()
        self.decoder = decoder

    def forward(self, groups: Tensor) -> Tensor:
        """Features in, distances out."""
        return cosine_distances(groups, self.decoder(groups))
