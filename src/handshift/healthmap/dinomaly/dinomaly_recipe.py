"""Settings of a Dinomaly decoder, its loss and its training."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from handshift.core.errors import HandshiftError
from handshift.healthmap.dinomaly.losses import LOSSES, ReconstructionLoss
from handshift.healthmap.scoring import Scoring
from handshift.training import TrainingConfig


class DinomalyRecipe(BaseModel):
    """Architecture, loss, scoring and optimisation. Defaults are published values, but a smaller decoder."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    width: int | None = Field(default=None, ge=8, description="of the decoder; the encoder's if not given")
    depth: int = Field(default=4, ge=2, le=16, description="decoder blocks, an even number")
    heads: int = Field(default=4, ge=1)
    dropout: float = Field(default=0.2, ge=0, lt=1, description="noise of the bottleneck")
    class_tokens: bool = Field(
        default=False, description="class and register tokens pass through the decoder, as in the original"
    )
    centred: bool = Field(
        default=False, description="features minus their mean, so that cosines compare what differs"
    )
    lengths: bool = Field(default=False, description="cosines see lengths of features too, by a constant")
    loss: str = Field(default="hard-mined", description=", ".join(LOSSES))
    options: dict[str, Any] = Field(default={}, description="of the loss, by name")
    auxiliary: float = Field(default=0.0, ge=0, description="weight of the domain classifier; 0 for none")
    scoring: Scoring = Scoring()

    steps: int = Field(default=1000, ge=1)
    batch: int = Field(default=16, ge=1)
    rate: float = Field(default=2e-3, gt=0, description="highest learning rate")
    end_factor: float = Field(default=0.1, ge=0, le=1, description="last learning rate / highest")
    warmup: int = Field(default=100, ge=0, description="steps before the highest learning rate")
    clip: float | None = Field(default=0.1, gt=0, description="largest gradient norm")
    stepped: Literal["per_step", "per_epoch"] = Field(
        default="per_step", description="per_epoch repeats the source's error: the rate hardly leaves zero"
    )
    amsgrad: bool = Field(default=False, description="as the original's optimizer")
    epsilon: float = Field(default=1e-8, gt=0, description="of the optimizer; 1e-10 in the original")
    plain_decay: bool = Field(default=False, description="weight decay not clipped, as in the original")
    seed: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _buildable(self) -> DinomalyRecipe:
        if self.loss not in LOSSES:
            raise ValueError(f"`loss` {self.loss} is not known; choose {', '.join(LOSSES)}")
        if self.depth % 2:
            raise ValueError(f"`depth` {self.depth}: the decoder has two halves; give an even number")
        try:
            self.make_loss()
        except TypeError as error:
            known = ", ".join(signature(LOSSES[self.loss]).parameters) or "none"
            given = ", ".join(self.options)
            raise ValueError(f"`options` of the loss {self.loss}: {given}; it has {known}") from error
        return self

    def make_loss(self) -> ReconstructionLoss:
        """The loss with its options."""
        return LOSSES[self.loss](**self.options)

    def training(self) -> TrainingConfig:
        """Settings of the common training loop."""
        return TrainingConfig(
            steps=self.steps,
            seed=self.seed,
            optimizer="stable-adamw",
            betas=(0.9, 0.999),
            amsgrad=self.amsgrad,
            epsilon=self.epsilon,
            plain_decay=self.plain_decay,
            weight_decay=1e-4,
            clip=self.clip,
            schedule="warm-cosine",
            stepped=self.stepped,
            max_lr=self.rate,
            warmup=min(0.99, self.warmup / self.steps),
            end_factor=self.end_factor,
            evaluate_every=self.steps,
        )

    def identity(self) -> dict[str, Any]:
        """Settings that determine the weights, besides those of the training loop."""
        fields = {"width", "depth", "heads", "dropout", "loss", "options", "auxiliary", "batch"}
        added = {name for name in ("centred", "lengths") if getattr(self, name)}
        return self.model_dump(mode="json", include=fields | added)  # where set: older trainings stay valid


def parse_recipe(options: Mapping[str, Any]) -> DinomalyRecipe:
    """Validate options of the command line.

    Args:
        options: Fields of `DinomalyRecipe`.

    Returns:
        The recipe.

    Raises:
        HandshiftError: A field is unknown or out of range; the message names it.
    """
    try:
        return DinomalyRecipe(**options)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise HandshiftError(f"{where}: {message}" if where else message) from error
