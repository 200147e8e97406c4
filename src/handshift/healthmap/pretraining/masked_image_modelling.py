"""Guess what stands under the covered patches: a task that needs no labels."""

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

Draw = Callable[[np.random.Generator, int], Floats]
"""(random, count) → maps (count, H, W), each in its domain's unit."""
MEAN, STD = 0.25, 0.1
"""Of maps in their domain's unit."""
_HELD_OUT = 64


class PretrainingRecipe(BaseModel):
    """Size of the encoder and length of its training."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int = Field(default=96, ge=16, multiple_of=16)
    depth: int = Field(default=6, ge=4)
    heads: int = Field(default=3, ge=1)
    patch: int = Field(default=8, ge=4)
    tokens: tuple[int, int] = (8, 12)
    covered: float = Field(default=0.5, gt=0, lt=1, description="share of patches to guess")
    seen_weight: float = Field(default=0.3, ge=0, description="of giving back the patches in sight")
    steps: int = Field(default=1000, ge=1)
    batch: int = Field(default=24, ge=1)
    rate: float = Field(default=1e-3, gt=0)
    seed: int = Field(default=0, ge=0)

    def training(self) -> TrainingConfig:
        """The common loop's settings."""
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
    """A DINOv2 of `transformers` made small, and a linear guess of each patch's pixels."""

    def __init__(self, recipe: PretrainingRecipe) -> None:
        super().__init__()
        from transformers import Dinov2Config, Dinov2Model

        side = max(recipe.tokens) * recipe.patch  # its table of positions is square
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
        self.guess = nn.Linear(recipe.width, recipe.patch**2)

    def forward(self, pictures: Tensor, covered: Tensor) -> Tensor:
        """Pictures (B, 1, H, W), covered (B, T) → pixels of every patch (B, T, patch²)."""
        tokens = self.encoder(pictures, bool_masked_pos=covered).last_hidden_state[:, 1:]
        out: Tensor = self.guess(tokens)
        return out


class MaskedTask:
    """New maps in every batch: there is no end of drawn ones."""

    def __init__(self, recipe: PretrainingRecipe, resizing: Resizing, draw: Draw) -> None:
        torch.manual_seed(recipe.seed)
        self.recipe, self.resizing, self.draw = recipe, resizing, draw
        self.module = MaskedModel(recipe)
        self.steps_per_epoch = max(1, recipe.steps // 10)

    def batch(self, index: int) -> dict[str, Any]:
        """Pictures and which of their patches are covered."""
        return self._made(batch_generator(self.recipe.seed, index), self.recipe.batch)

    def loss(self, batch: dict[str, Any]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        """Error under the cover, and a little of it in sight, so that patches remember themselves."""
        hidden, seen = self._errors(batch)
        return hidden + self.recipe.seen_weight * seen, {"hidden": hidden.detach(), "seen": seen.detach()}

    def evaluate(self) -> Mapping[str, float]:
        """The same on maps that training will not draw."""
        hidden, seen = self._errors(
            {name: torch.from_numpy(v) for name, v in self._made(np.random.default_rng(0), _HELD_OUT).items()}
        )
        return {"hidden": float(hidden), "seen": float(seen)}

    def _made(self, random: np.random.Generator, count: int) -> dict[str, Any]:
        maps = self.resizing.apply(self.draw(random, count))
        tokens = self.recipe.tokens[0] * self.recipe.tokens[1]
        covered = random.random((count, tokens)).argsort(axis=1) < round(self.recipe.covered * tokens)
        return {"pictures": (maps[:, None] - np.float32(MEAN)) / np.float32(STD), "covered": covered}

    def _errors(self, batch: dict[str, Any]) -> tuple[Tensor, Tensor]:
        pictures, covered = batch["pictures"], batch["covered"]
        patch = self.recipe.patch
        pixels = F.unfold(pictures, patch, stride=patch).transpose(1, 2)  # (B, T, patch²)
        guessed = self.module(pictures, covered)
        # Not squared beyond one spread: a fault stands forty spreads out and would be all that is learned.
        error = F.smooth_l1_loss(guessed, pixels, reduction="none").mean(dim=2)
        return error[covered].mean(), error[~covered].mean()
