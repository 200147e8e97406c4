"""Which blocks of a transformer are listened to.

An encoder that does not learn: pictures in, two fused groups of patch features out.

A frozen vision transformer looks at a map: what its middle blocks say of every patch.
"""

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
from handshift.models.shipped_models import SHELF

GROUPS = 2
MOST_BLOCKS = 8


def middle_blocks(depth: int) -> tuple[tuple[int, ...], ...]:
    """The middle two thirds of ``depth`` blocks, at most eight of them evenly spread, in two groups.

    12 → (2 3 4 5)(6 7 8 9) as published, 24 → (4 6 8 10)(12 14 16 18), 6 → (1 2)(3 4), 4 → (1)(2). The first
    blocks know only pixels, the last only what their own training asked for.
    """
    if depth < GROUPS:
        raise ValueError(f"an encoder of {depth} block has no middle; at least {GROUPS} are needed")
    span = max(GROUPS, depth * 2 // 3 // GROUPS * GROUPS)
    first = (depth - span) // 2
    chosen = tuple(range(first, first + span, max(1, span // MOST_BLOCKS)))
    half = len(chosen) // GROUPS
    return chosen[:half], chosen[half:]


SHIPPED = "maps-1"
"""The small encoder that comes with handshift."""
NORMALISATION = "preprocessor_config.json"
"""Where `transformers` keeps the mean and spread that an encoder was trained with."""


class FrozenEncoder(nn.Module):
    """Pictures (B, 1 or 3, rows·patch, columns·patch) → features (B, 2, rows·columns, width).

    Group g is the mean over its blocks of their patch tokens; blocks after the last that is used are dropped.
    The position embedding is interpolated once, to the grid, which need not be square.
    """

    mean: Tensor
    std: Tensor

    def __init__(
        self,
        encoder: nn.Module,
        grid: tuple[int, int],
        mean: tuple[float, ...] = IMAGENET_MEAN,
        std: tuple[float, ...] = IMAGENET_STD,
    ) -> None:
        super().__init__()
        config: Any = encoder.config
        if config.model_type not in TOKENS:
            raise BackboneError(f"encoder: {config.model_type} is no vision transformer of patches")
        self.patch, self.width = int(config.patch_size), int(config.hidden_size)
        self.channels = int(config.num_channels)
        layers = _layers(encoder)
        self.groups = middle_blocks(len(layers))
        del layers[self.groups[-1][-1] + 1 :]
        self.encoder = encoder.eval().requires_grad_(False)
        self.lay(grid)
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1), persistent=False)
        # ViT refuses a grid that it was not made for unless asked; DINOv2 need not be.
        self._asked = {"interpolate_pos_encoding": True} if config.model_type in ("vit", "deit") else {}
        self._heard: dict[int, Tensor] = {}
        for group in self.groups:
            for number in group:
                layers[number].register_forward_hook(self._hear(number))

    def lay(self, grid: tuple[int, int]) -> None:
        """Lay the patches out as ``grid``, rows and columns, from now on."""
        self.grid = grid
        _fix_positions(self.encoder, self.size)

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of pixels."""
        return self.grid[0] * self.patch, self.grid[1] * self.patch

    def forward(self, pictures: Tensor) -> Tensor:
        """Features of every patch, row by row."""
        self.encoder((self._coloured(pictures) - self.mean) / self.std, **self._asked)
        tokens = self.grid[0] * self.grid[1]  # the last ones; class and register tokens come before
        fused = [
            torch.stack([self._heard[n][:, -tokens:] for n in group]).mean(0)  # (B, tokens, width)
            for group in self.groups
        ]
        self._heard.clear()
        return torch.stack(fused, dim=1)

    def fingerprint(self) -> str:
        """Of all that decides a feature: weights, grid, normalisation."""
        digest = hashlib.sha256(repr((self.grid, self.mean.tolist(), self.std.tolist())).encode())
        for name, values in sorted(self.encoder.state_dict().items()):
            digest.update(name.encode() + values.cpu().numpy().tobytes())
        return digest.hexdigest()[:16]

    def _coloured(self, pictures: Tensor) -> Tensor:
        if pictures.shape[1] == self.channels:
            return pictures
        if self.channels == 1:
            return pictures.mean(dim=1, keepdim=True)
        return pictures.expand(-1, self.channels, -1, -1)

    def _hear(self, number: int) -> Any:
        def keep(_module: nn.Module, _given: Any, output: Any) -> None:
            self._heard[number] = output[0] if isinstance(output, tuple) else output

        return keep


def frozen_encoder(name: str | None, grid: tuple[int, int]) -> FrozenEncoder:
    """The shipped encoder when none is named; else a short name, a hub name or a local folder."""
    place = str(SHELF / SHIPPED) if name in (None, SHIPPED) else str(name)
    mean, std = _normalisation(Path(place))
    return FrozenEncoder(load_encoder(place), grid, mean, std)


def _normalisation(folder: Path) -> tuple[tuple[float, ...], tuple[float, ...]]:
    path = folder / NORMALISATION
    if not path.is_file():
        return IMAGENET_MEAN, IMAGENET_STD
    said = read_json_object(path, "the normalisation of an encoder")
    try:
        return tuple(map(float, said["image_mean"])), tuple(map(float, said["image_std"]))
    except (KeyError, TypeError, ValueError) as error:
        raise HandshiftError(f"{path}: lacks image_mean or image_std as lists of numbers") from error


def _layers(encoder: nn.Module) -> nn.ModuleList:
    """DINOv2 keeps its blocks in ``encoder.layer``, ViT in ``layers``."""
    model: Any = encoder
    layers: nn.ModuleList = model.layers if hasattr(model, "layers") else model.encoder.layer
    return layers


def _fix_positions(encoder: nn.Module, size: tuple[int, int]) -> None:
    """Interpolate once: the same for every picture, and a constant in the exported file."""
    embeddings: Any = encoder.embeddings
    patch = int(embeddings.patch_embeddings.patch_size[0])
    tokens = size[0] // patch * (size[1] // patch)
    blank = torch.zeros(1, tokens + 1, embeddings.position_embeddings.shape[-1])
    with torch.no_grad():
        fixed = type(embeddings).interpolate_pos_encoding(embeddings, blank, *size).clone()
    embeddings.interpolate_pos_encoding = lambda *_: fixed
