"""A recipe's optimisation in the words of the training loop."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ValidationError

from handshift.embed.presets.recipe import Recipe
from handshift.error import HandshiftError
from handshift.training.config import PACE_FIELDS, TrainingConfig

Accelerator = Literal["cpu", "cuda", "mps"]


def training_config(recipe: Recipe, accelerator: Accelerator = "cpu") -> TrainingConfig:
    """The best checkpoint is the one with the highest AUC on unseen writers."""
    every = recipe.evaluate_every
    if every is not None and recipe.steps is not None:
        every = min(every, recipe.steps)
    try:
        return _config(recipe, every, accelerator)
    except ValidationError as error:
        raise HandshiftError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error


def _config(recipe: Recipe, every: int | None, accelerator: Accelerator) -> TrainingConfig:
    return TrainingConfig(
        steps=recipe.steps,
        epochs=recipe.epochs,
        seed=recipe.seed,
        max_lr=recipe.rate,
        schedule=recipe.schedule,
        warmup=recipe.warmup,
        weight_decay=recipe.weight_decay,
        clip=recipe.clip,
        accumulate=recipe.accumulate,
        precision=recipe.precision,
        evaluate_every=every,
        patience=recipe.patience,
        max_hours=recipe.max_hours,
        monitor="auc",
        accelerator=accelerator,
    )


def identity_of(recipe: Recipe) -> dict[str, Any]:
    """What makes a run with this recipe a different one from a run with another."""
    return recipe.model_dump(mode="json", exclude=set(PACE_FIELDS))


def identity_defaults() -> dict[str, Any]:
    """The default of every field of that identity: what a run recorded before the field existed had."""
    return {name: field.default for name, field in Recipe.model_fields.items() if name not in PACE_FIELDS}
