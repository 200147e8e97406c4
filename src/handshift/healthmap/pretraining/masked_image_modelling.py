"""Masked image modelling: predict the pixels of masked patches, without labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from handshift.healthmap.health_map import Floats
from handshift.healthmap.resizing import Resizing
from handshift.training import TrainingConfig, batch_generator

DrawMaps = Callable[[np.random.Generator, int], Floats]
"""(random, count) → maps (count, H, W), divided by the maximum of their domain."""
MEAN, STD = 0.25, 0.1
"""Of maps divided by the maximum of their domain."""
_HELD_OUT = 64


class PretrainingRecipe(BaseModel):
    """Size of the encoder and length of its training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int = Field(default=96, ge=16, multiple_of=16)
    depth: int = Field(default=6, ge=4)
    heads: int = Field(default=3, ge=1)
    patch: int = Field(default=8, ge=4)
    tokens: tuple[int, int] = (8, 12)
    mask_share: float = Field(default=0.5, gt=0, lt=1, description="share of masked patches")
    visible_weight: float = Field(default=0.3, ge=0, description="of the error of visible patches")
    steps: int = Field(default=1000, ge=1)
    batch: int = Field(default=24, ge=1)
    rate: float = Field(default=1e-3, gt=0)
    seed: int = Field(default=0, ge=0)

    def training(self) -> TrainingConfig:
        """Settings of the common training loop."""
        return TrainingConfig(
            steps=self.steps,
            seed=self.seed,
            max_lr=self.rate,
            weight_decay=0.05,
            betas=(0.9, 0.95),
            schedule="warm-cosine",
            end_factor=0.02,
            clip=1.0,
            evaluate_every=max(1, self.steps // 10),
        )


class MaskedModel(nn.Module):
    """A small DINOv2 of `transformers` with a linear head that predicts the pixels of each patch."""

    def __init__(self, recipe: PretrainingRecipe) -> None:
        super().__init__()
        from transformers import Dinov2Config, Dinov2Model

        side = max(recipe.tokens) * recipe.patch  # its position embedding is square
        config = Dinov2Config(
            hidden_size=recipe.width,
            num_hidden_layers=recipe.depth,
            num_attention_heads=recipe.heads,
            image_size=side,
            patch_size=recipe.patch,
            num_channels=1,
            mlp_ratio=4,
        )
        self.patch = recipe.patch
        self.encoder = Dinov2Model(config)
        self.head = nn.Linear(recipe.width, recipe.patch**2)

    def forward(self, pictures: Tensor, mask: Tensor) -> Tensor:
        """Pictures (B, 1, H, W), mask (B, T) → pixels of every patch (B, T, patch²)."""
        tokens = self.encoder(pictures, bool_masked_pos=mask).last_hidden_state[:, 1:]
        out: Tensor = self.head(tokens)
        return out


class MaskedTask:
    """Masked image modelling on maps that are drawn anew for every batch.

    Args:
        recipe: Encoder and training.
        resizing: From maps to pictures.
        draw: Generator of maps.
    """

    def __init__(self, recipe: PretrainingRecipe, resizing: Resizing, draw: DrawMaps) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.resizing, self.draw = recipe, resizing, draw
        self.module = MaskedModel(recipe)
        self.steps_per_epoch = max(1, recipe.steps // 10)

    def batch(self, index: int) -> dict[str, Any]:
        """Pictures (B, 1, H, W) and masks (B, T)."""
        return self._draw(batch_generator(self.recipe.seed, index), self.recipe.batch)

    def loss(self, batch: dict[str, Any]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Error of masked patches plus a weight of visible ones, so that features retain the pixels."""
        masked, visible = self._errors(batch)
        loss = masked + self.recipe.visible_weight * visible
        return loss, {"masked": masked.detach(), "visible": visible.detach()}

    def evaluate(self) -> Mapping[str, float]:
        """Errors on maps of another random stream."""
        masked, visible = self._errors(
            {name: torch.from_numpy(v) for name, v in self._draw(np.random.default_rng(0), _HELD_OUT).items()}
        )
        return {"masked": float(masked), "visible": float(visible)}

    def _draw(self, random: np.random.Generator, count: int) -> dict[str, Any]:
        maps = self.resizing.apply(self.draw(random, count))
        tokens = self.recipe.tokens[0] * self.recipe.tokens[1]
        mask = random.random((count, tokens)).argsort(axis=1) < round(self.recipe.mask_share * tokens)
        return {"pictures": (maps[:, None] - np.float32(MEAN)) / np.float32(STD), "mask": mask}

    def _errors(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        pictures, mask = batch["pictures"], batch["mask"]
        patch = self.recipe.patch
        pixels = F.unfold(pictures, patch, stride=patch).transpose(1, 2)  # (B, T, patch²)
        predicted = self.module(pictures, mask)
        # Linear beyond one σ: a fault deviates by forty σ and would dominate a squared error.
        error = F.smooth_l1_loss(predicted, pixels, reduction="none").mean(dim=2)
        return error[mask].mean(), error[~mask].mean()
