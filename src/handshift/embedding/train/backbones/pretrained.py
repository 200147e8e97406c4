"""A large network made for photographs reads a word: three channels, its own size, its own normalisation."""

from __future__ import annotations

from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.train.backbones.network import Network
from handshift.embedding.train.backbones.transformers_encoder import TOKENS, WORKING_SIZE, BackboneError

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class Pretrained(Network):
    """Encoder of `transformers` → first token, or mean over the map → projection.

    The projection is Linear, BN; with `hidden` it is the source's Linear, BN, ReLU, Dropout, Linear, BN.
    A frozen encoder neither learns nor changes its batch statistics.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        encoder: nn.Module,
        dimensions: int = 128,
        hidden: int | None = None,
        dropout: float = 0.2,
        size: int | None = None,
        frozen: bool = False,
    ) -> None:
        super().__init__()
        self.encoder, self.dimensions, self.frozen = encoder, dimensions, frozen
        config: Any = encoder.config
        self.tokens = config.model_type in TOKENS
        self.size = size or _size_for(config)
        self.register_buffer("mean", torch.tensor(IMAGENET_MEAN).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(IMAGENET_STD).view(1, 3, 1, 1), persistent=False)
        encoder.requires_grad_(not frozen)
        width = self._width()
        if hidden is None:
            self.project = nn.Sequential(nn.Linear(width, dimensions, bias=False), nn.BatchNorm1d(dimensions))
        else:
            self.project = nn.Sequential(
                nn.Linear(width, hidden),
                nn.BatchNorm1d(hidden),
                nn.ReLU(inplace=True),
                nn.Dropout(dropout),
                nn.Linear(hidden, dimensions),
                nn.BatchNorm1d(dimensions),
            )

    def features(self, pictures: Tensor) -> Tensor:
        """Black ink on white paper, as in a photograph, at the size the encoder was made for."""
        return self.project(self.encoded(pictures))

    def encoded(self, pictures: Tensor) -> Tensor:
        """(batch, 1, height, width) → (batch, encoder's width)."""
        if self.size:
            # On the whole canvas first: else a word would be stretched by how wide a window it is seen in.
            spare = WIDTH - pictures.shape[3]
            pictures = F.pad(pictures, (spare // 2, spare - spare // 2))
            pictures = F.interpolate(pictures, (self.size, self.size), mode="bilinear", align_corners=False)
        photographs = ((1.0 - pictures) - self.mean) / self.std  # (batch, 3, height, width)
        cells = self.encoder(photographs).last_hidden_state
        return cells[:, 0] if self.tokens else cells.mean(dim=(2, 3))

    def train(self, mode: bool = True) -> Self:
        """A frozen encoder stays as at inference."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    @torch.no_grad()
    def _width(self) -> int:
        """Columns of `encoded`, by trying; a size that does not suit shows here and not in the first step."""
        self.encoder.eval()
        try:
            return int(self.encoded(torch.zeros(1, 1, HEIGHT, WIDTH)).shape[1])
        except (ValueError, RuntimeError) as error:
            raise BackboneError(f"backbone: pictures of size {self.size} do not suit it: {error}") from error


def _size_for(config: Any) -> int | None:
    """Side of the square the encoder needs; None for a CNN, which takes the canvas as it is."""
    if config.model_type not in TOKENS:
        return None
    if config.model_type.startswith("dinov2"):  # its positions are interpolated to any multiple of a patch
        return WORKING_SIZE // int(config.patch_size) * int(config.patch_size)
    return int(config.image_size)
