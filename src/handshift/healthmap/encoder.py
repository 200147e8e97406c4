"""A frozen vision transformer that turns pictures into two groups of patch features for Dinomaly."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.embedding.train.backbones.pretrained import IMAGENET_MEAN, IMAGENET_STD
from handshift.embedding.train.backbones.transformers_encoder import TOKENS, BackboneError, load_encoder
from handshift.models.shipped_models import MODELS_FOLDER

GROUPS = 2
MAX_BLOCKS = 8


def middle_blocks(depth: int) -> tuple[tuple[int, ...], ...]:
    """Choose the blocks whose outputs are used: the middle two thirds, at most eight, in two groups.

    12 → (2 3 4 5)(6 7 8 9) as published, 24 → (4 6 8 10)(12 14 16 18), 6 → (1 2)(3 4), 4 → (1)(2). The first
    blocks encode little beyond pixels, the last ones are specialised to the pretraining task.

    Args:
        depth: Number of blocks of the encoder.

    Returns:
        Two groups of block numbers, from 0.

    Raises:
        ValueError: The encoder has fewer than two blocks.
    """
    if depth < GROUPS:
        raise ValueError(f"an encoder of {depth} block is too shallow; at least {GROUPS} are needed")
    span = max(GROUPS, depth * 2 // 3 // GROUPS * GROUPS)
    first = (depth - span) // 2
    chosen = tuple(range(first, first + span, max(1, span // MAX_BLOCKS)))
    half = len(chosen) // GROUPS
    return chosen[:half], chosen[half:]


SHIPPED = "maps-1"
"""The small encoder that comes with handshift."""
NORMALISATION = "preprocessor_config.json"
"""File in which `transformers` stores the mean and standard deviation of an encoder's input."""


class FrozenEncoder(nn.Module):
    """Pictures (B, 1 or 3, rows·patch, columns·patch) → features (B, 2, prefix + rows·columns, width).

    The feature of a group is the mean of its blocks' tokens: those of the patches, and before them those of
    the class and of registers if ``class_tokens`` (``prefix`` is their number, else 0). Blocks after the last
    used one are removed. The position embedding is interpolated once to the grid, which need not be square.

    Args:
        encoder: A ViT, DeiT or DINOv2 of `transformers`.
        grid: Rows and columns of patches.
        mean: Mean of the input, by channel.
        std: Standard deviation of the input, by channel.
        class_tokens: Whether class and register tokens are kept, as the original Dinomaly keeps them.

    Raises:
        BackboneError: The encoder is not a vision transformer of patches.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        encoder: nn.Module,
        grid: tuple[int, int],
        mean: tuple[float, ...] = IMAGENET_MEAN,
        std: tuple[float, ...] = IMAGENET_STD,
        class_tokens: bool = False,
    ) -> None:
        super().__init__()
        config: Any = encoder.config
        if config.model_type not in TOKENS:
            raise BackboneError(f"encoder: {config.model_type} is not a vision transformer of patches")
        self.patch, self.width = int(config.patch_size), int(config.hidden_size)
        self.channels = int(config.num_channels)
        self.prefix = 1 + int(getattr(config, "num_register_tokens", 0)) if class_tokens else 0
        layers = _layers(encoder)
        self.groups = middle_blocks(len(layers))
        del layers[self.groups[-1][-1] + 1 :]
        self.encoder = encoder.eval().requires_grad_(False)
        self.set_grid(grid)
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)
        # ViT refuses a grid other than that of its pretraining unless this is set; DINOv2 has no such option.
        self._forward_options = (
            {"interpolate_pos_encoding": True} if config.model_type in ("vit", "deit") else {}
        )
        self._hidden: dict[int, Tensor] = {}
        for group in self.groups:
            for number in group:
                layers[number].register_forward_hook(self._store_output(number))

    def set_grid(self, grid: tuple[int, int]) -> None:
        """Interpolate the position embedding to ``grid``, rows and columns of patches."""
        self.grid = grid
        _fix_positions(self.encoder, self.size)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of a picture, in pixels."""
        return self.grid[0] * self.patch, self.grid[1] * self.patch

    @property
    def tokens(self) -> int:
        """Tokens of one picture: class and registers if kept, then patches in row-major order."""
        return self.prefix + self.grid[0] * self.grid[1]

    def forward(self, pictures: Tensor) -> Tensor:
        """Features of every token."""
        self.encoder((self._match_channels(pictures) - self.mean) / self.std, **self._forward_options)
        tokens = self.tokens  # the last ones; class and register tokens come before
        fused = [
            torch.stack([self._hidden[n][:, -tokens:] for n in group]).mean(0)  # (B, tokens, width)
            for group in self.groups
        ]
        self._hidden.clear()
        return torch.stack(fused, dim=1)

    def fingerprint(self) -> str:
        """Hash of all that determines a feature: weights, grid, normalisation."""
        known: tuple[object, ...] = (self.grid, self.mean.tolist(), self.std.tolist())
        digest = hashlib.sha256(repr((*known, self.prefix) if self.prefix else known).encode())
        for name, values in sorted(self.encoder.state_dict().items()):
            digest.update(name.encode() + values.cpu().numpy().tobytes())
        return digest.hexdigest()[:16]

    def _match_channels(self, pictures: Tensor) -> Tensor:
        if pictures.shape[1] == self.channels:
            return pictures
        if self.channels == 1:
            return pictures.mean(dim=1, keepdim=True)
        return pictures.expand(-1, self.channels, -1, -1)

    def _store_output(self, number: int) -> Any:
        def store(_module: nn.Module, _inputs: Any, output: Any) -> None:
            self._hidden[number] = output[0] if isinstance(output, tuple) else output

        return store


def load_frozen_encoder(name: str | None, grid: tuple[int, int], class_tokens: bool = False) -> FrozenEncoder:
    """Load an encoder and freeze it.

    Args:
        name: A local folder, a hub name or a short name; None for the shipped encoder.
        grid: Rows and columns of patches.
        class_tokens: Whether class and register tokens are kept.

    Returns:
        The encoder.

    Raises:
        BackboneError: There is no encoder of that name, or it is not a vision transformer.
    """
    place = str(MODELS_FOLDER / SHIPPED) if name in (None, SHIPPED) else str(name)
    mean, std = _normalisation(Path(place))
    return FrozenEncoder(load_encoder(place), grid, mean, std, class_tokens)


def _normalisation(folder: Path) -> tuple[tuple[float, ...], tuple[float, ...]]:
    path = folder / NORMALISATION
    if not path.is_file():
        return IMAGENET_MEAN, IMAGENET_STD
    stored = read_json_object(path, "the normalisation of an encoder")
    try:
        return tuple(map(float, stored["image_mean"])), tuple(map(float, stored["image_std"]))
    except (KeyError, TypeError, ValueError) as error:
        raise HandshiftError(f"{path}: lacks image_mean or image_std as lists of numbers") from error


def _layers(encoder: nn.Module) -> nn.ModuleList:
    """The blocks: ``encoder.layer`` of DINOv2, ``layers`` of ViT."""
    model: Any = encoder
    layers: nn.ModuleList = model.layers if hasattr(model, "layers") else model.encoder.layer
    return layers


def _fix_positions(encoder: nn.Module, size: tuple[int, int]) -> None:
    """Interpolate the position embedding once, which makes it a constant of the exported file."""
    embeddings: Any = encoder.embeddings
    patch = int(embeddings.patch_embeddings.patch_size[0])
    tokens = size[0] // patch * (size[1] // patch)
    blank = torch.zeros(1, tokens + 1, embeddings.position_embeddings.shape[-1])
    with torch.no_grad():
        fixed = type(embeddings).interpolate_pos_encoding(embeddings, blank, *size).clone()
    embeddings.interpolate_pos_encoding = lambda *_: fixed
