"""Cosine distance between encoder features and their reconstruction."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.dinomaly.decoder import Decoder


def cosine_distances(features: Tensor, reconstruction: Tensor) -> Tensor:
    """1 − cos of each patch: twice (B, G, T, width) → (B, G, T), 0…2; no gradient through ``features``."""
    return 1 - F.cosine_similarity(features.detach(), reconstruction, dim=-1)


def with_level(tokens: Tensor, level: Tensor | None) -> Tensor:
    """Append a constant, so that cosines see lengths too: (B, G, T, width) → (B, G, T, width + 1).

    Two vectors of one direction and different lengths then have different directions. If both lengths are
    small beside the level, 1 − cos is |a − b|²/(2·level²).

    Args:
        tokens: Features or their reconstruction.
        level: Constant of each group, (G, 1, 1); None leaves the tokens as they are.
    """
    return tokens if level is None else torch.cat([tokens, level.expand(*tokens.shape[:-1], 1)], dim=-1)


class ReconstructionDistance(nn.Module):
    """Decoder and cosine distance in one module, as exported to ONNX: (B, 2, P + T, width) → (B, 2, T).

    Args:
        decoder: The decoder.
        prefix: Number P of class and register tokens, which pass through the decoder and are not compared.
        centre: Mean normal feature of each group, subtracted first, (2, 1, width); None subtracts nothing.
        level: Constant appended to both sides, (2, 1, 1); None appends nothing.
    """

    centre: Tensor | None
    level: Tensor | None

    def __init__(
        self,
        decoder: Decoder,
        prefix: int = 0,
        centre: Tensor | None = None,
        level: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.decoder, self.prefix = decoder, prefix
        self.register_buffer("centre", centre)
        self.register_buffer("level", level)

    def forward(self, groups: Tensor) -> Tensor:
        """(B, 2, P + T, width) → (B, 2, T)."""
        groups = groups if self.centre is None else groups - self.centre
        sides = groups[:, :, self.prefix :], self.decoder(groups)[:, :, self.prefix :]
        features, reconstruction = (with_level(side, self.level) for side in sides)
        return cosine_distances(features, reconstruction)
