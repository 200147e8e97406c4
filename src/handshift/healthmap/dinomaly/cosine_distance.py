"""Cosine distance between encoder features and their reconstruction."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.decoder import Decoder


def cosine_distances(features: Tensor, reconstruction: Tensor) -> Tensor:
    """1 − cos of each patch: twice (B, G, T, width) → (B, G, T), 0…2; no gradient through ``features``."""
    return 1 - F.cosine_similarity(features.detach(), reconstruction, dim=-1)


class ReconstructionDistance(nn.Module):
    """Decoder and cosine distance in one module, as exported to ONNX: (B, 2, P + T, width) → (B, 2, T).

    Args:
        decoder: The decoder.
        prefix: Number P of class and register tokens, which pass through the decoder and are not compared.
        centre: Mean normal feature of each group, subtracted first, (2, 1, width); None subtracts nothing.
    """

    centre: Tensor | None

    def __init__(self, decoder: Decoder, prefix: int = 0, centre: Tensor | None = None) -> None:
        super().__init__()
        self.decoder, self.prefix = decoder, prefix
        self.register_buffer("centre", centre)

    def forward(self, groups: Tensor) -> Tensor:
        """(B, 2, P + T, width) → (B, 2, T)."""
        groups = groups if self.centre is None else groups - self.centre
        return cosine_distances(groups[:, :, self.prefix :], self.decoder(groups)[:, :, self.prefix :])
