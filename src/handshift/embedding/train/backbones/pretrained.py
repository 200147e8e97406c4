"""A pretrained `transformers` encoder on word pictures: three channels, its size, ImageNet statistics."""

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
    A frozen encoder is not trained, batch statistics included.

    Args:
        encoder: A `transformers` model with `config` and `last_hidden_state`.
        dimensions: Length of the vector.
        hidden: Hidden units of the projection; a single linear layer if None.
        dropout: Within the projection.
        size: Side of the square picture; the encoder's own if None.
        frozen: Train the projection alone.

    Raises:
        BackboneError: The encoder does not accept pictures of that size.
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
        """Compute raw features of black ink on white paper at the encoder's input size."""
        return self.project(self.encoded(pictures))

    def encoded(self, pictures: Tensor) -> Tensor:
        """Encode pictures: (batch, 1, height, width) → (batch, encoder's width)."""
        if self.size:
            # Padded to the whole canvas first: otherwise a word's stretch would depend on its window's width.
            spare = WIDTH - pictures.shape[3]
            pictures = F.pad(pictures, (spare // 2, spare - spare // 2))
            pictures = F.interpolate(pictures, (self.size, self.size), mode="bilinear", align_corners=False)
        photographs = ((1.0 - pictures) - self.mean) / self.std  # (batch, 3, height, width)
        cells = self.encoder(photographs).last_hidden_state
        return cells[:, 0] if self.tokens else cells.mean(dim=(2, 3))

    def train(self, mode: bool = True) -> Self:
        """Set training mode; a frozen encoder stays in evaluation mode."""
        super().train(mode)
        if self.frozen:
            self.encoder.eval()
        return self

    @torch.no_grad()
    def _width(self) -> int:
        """Number of columns of `encoded`, found by a forward pass, which also detects an unsuitable size."""
        self.encoder.eval()
        try:
            return int(self.encoded(torch.zeros(1, 1, HEIGHT, WIDTH)).shape[1])
        except (ValueError, RuntimeError) as error:
            raise BackboneError(
                f"backbone: it does not accept pictures of size {self.size}: {error}"
            ) from error


def _size_for(config: Any) -> int | None:
    """Side of the square input; None for a CNN, which takes the canvas unchanged."""
    if config.model_type not in TOKENS:
        return None
    if config.model_type.startswith("dinov2"):  # positions are interpolated to any multiple of a patch
        return WORKING_SIZE // int(config.patch_size) * int(config.patch_size)
    return int(config.image_size)
