"""The recipe of a trained embedding: its fields are the command's options with their help texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from handshift.core.errors import HandshiftError

if TYPE_CHECKING:
    from handshift.training import TrainingConfig


def _field(panel: str, default: Any, description: str, **limits: Any) -> Any:
    return Field(default=default, description=description, json_schema_extra={"panel": panel}, **limits)


NETWORK, LOSS, BATCH, CHANGES, STEPS = "Network", "Loss", "Batches", "Augmentation", "Optimisation"

_REPLACES = {
    "margin": ("margin_size", "scale"),
    "loss": ("margin_size", "scale"),
    "backbone": ("widths", "size"),
    "steps": ("epochs",),
    "epochs": ("steps",),
}
"""Sizes in a preset belong to its margin and network: choosing another one resets them to its defaults."""


class Recipe(BaseModel):
    """One training of an embedding. The defaults are those of a small network on a laptop."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    backbone: str = _field(
        NETWORK, "small-resnet", "small-resnet, small-convnext, resnet18, resnet50, efficientnet-b0, "
        "convnext-tiny, vit-b16, dinov2-small, dinov2-base, a hub name or a folder"
    )  # fmt: skip
    widths: tuple[int, ...] | None = _field(
        NETWORK, None, "Channels of a small network's stages: 24,48,96,192"
    )
    dimensions: int = _field(NETWORK, 128, "Length of the vector", ge=2)
    hidden: int | None = _field(NETWORK, None, "Hidden units of the head on a large network", ge=1)
    dropout: float | None = _field(
        NETWORK, None, "Before the vector: small networks 0.1, that head 0.2", ge=0, lt=1
    )
    size: int | None = _field(NETWORK, None, "Side of the square input of a large network", ge=16)
    from_scratch: bool = _field(NETWORK, False, "Begin a large network with random weights")
    freeze: bool = _field(NETWORK, False, "Train the head of a large network alone")

    loss: str = _field(
        LOSS, "margin", "margin (on classes), or on pairs: contrastive, triplet, angular-triplet, tuplet"
    )
    margin: str = _field(
        LOSS, "arcface", "softmax, normalised-softmax, arcface, cosface, sphereface, combined, "
        "adaface, curricularface")  # fmt: skip
    margin_size: float | None = _field(LOSS, None, "Size of the margin; for arcface in radians (0.2)", ge=0)
    scale: float | None = _field(
        LOSS, None, "Factor of the cosines; by default from the number of classes, for arcface 24", gt=0
    )
    margin_warmup: float = _field(LOSS, 0.0, "Share of all steps in which the margin grows", ge=0, le=1)
    margin_delay: float = _field(LOSS, 0.0, "Share of all steps before it begins to grow", ge=0, lt=1)
    head: str = _field(LOSS, "plain", "Class centres: plain, sub-center, partial-fc")
    centres: int | None = _field(LOSS, None, "Centres of each class, for the sub-center head", ge=1)
    terms: tuple[str, ...] = _field(LOSS, (), "Further terms of the loss: intra,inter")
    miner: str | None = _field(LOSS, None, "Which triplets count, for a loss on pairs: all, semi-hard, hard")
    across_sessions: bool = _field(
        LOSS, True, "Take positive pairs across sessions, where a writer has several"
    )
    options: dict[str, int | float | str] = _field(
        LOSS, {}, "Further numbers, such as margin.m1=0.9, head.sample=0.2"
    )

    groups: tuple[int, ...] = _field(
        LOSS, (), "Sizes of groups of a writer's words whose mean is learnt too, with --databases: 2,4"
    )
    group_weight: float = _field(LOSS, 0.5, "Weight of the groups' loss", ge=0)
    triplets: float = _field(
        LOSS, 0.0, "Weight of a triplet loss on the means of the smallest groups, with --databases", ge=0
    )

    databases: dict[str, float] = _field(
        BATCH, {}, "Train on several databases below --data, each with a weight: iam=4; 0 validates alone"
    )
    batch: int = _field(BATCH, 128, "Words a batch", ge=2)
    sampling: Literal["root", "balanced", "words"] | None = _field(
        BATCH, None, "root (of a writer's word count), balanced (writers × words), words (uniform); "
        "balanced for a loss on pairs, root otherwise"
    )  # fmt: skip
    words_each: int = _field(BATCH, 4, "Words of each writer in a balanced batch", ge=2)
    prefer_long: bool = _field(
        BATCH, False, "With root: choose words with probability proportional to length"
    )
    accumulate: int = _field(BATCH, 1, "Batches a step", ge=1)
    seed: int = _field(BATCH, 7, "Seed of weights, batches and augmentation", ge=0)

    window: int | None = _field(CHANGES, 96, "Columns of a word in a training picture", ge=32, multiple_of=16)
    kindred: float = _field(
        CHANGES, 0.5, "Share of words sheared or stretched into pseudo-writers", ge=0, le=1
    )
    placing: float = _field(CHANGES, 1.0, "Strength of small rotations, shifts, scales and shears", ge=0)
    affine: float = _field(CHANGES, 0.0, "Strength of RandomAffine as in the source", ge=0)
    elastic: float = _field(CHANGES, 0.0, "Elastic displacement in pixels", ge=0)
    stroke: float = _field(CHANGES, 0.5, "Probability of another stroke width", ge=0, le=1)
    stroke_depth: float = _field(CHANGES, 1.0, "How far the width changes", ge=0, le=1.1)
    ink: float = _field(CHANGES, 1.0, "Strength of stronger or fainter ink", ge=0, le=3)
    pen: float = _field(CHANGES, 0.0, "Strength of another pen for a page, with --databases", ge=0, le=2)
    coarser: float = _field(
        CHANGES, 0.0, "Probability of a coarser scan of a page, with --databases", ge=0, le=1
    )
    scale_error: float = _field(
        CHANGES, 0.0, "Strength of errors of a page's measured scale, with --databases", ge=0, le=2
    )
    background: float = _field(CHANGES, 0.0, "Strength of clouds and grain of the paper", ge=0)
    blur: float = _field(CHANGES, 0.3, "Probability of a blur", ge=0, le=1)
    erasing: float = _field(CHANGES, 0.0, "Probability of random erasing", ge=0, le=1)

    steps: int | None = _field(STEPS, None, "Optimizer steps (2200)", ge=1)
    epochs: int | None = _field(STEPS, None, "Instead of steps: passes over as many words as there are", ge=1)
    rate: float = _field(STEPS, 3e-3, "Highest learning rate", gt=0)
    schedule: Literal["onecycle", "warm-cosine", "constant"] = _field(
        STEPS, "onecycle", "Schedule of the learning rate"
    )
    warmup: float = _field(STEPS, 0.1, "Share of all steps before the highest learning rate", ge=0, lt=1)
    weight_decay: float = _field(STEPS, 1e-3, "AdamW's", ge=0)
    clip: float | None = _field(STEPS, 5.0, "Largest norm of the gradient", gt=0)
    precision: Literal["32", "bf16-mixed", "16-mixed"] = _field(
        STEPS, "32", "32, bf16-mixed, or on a GPU 16-mixed"
    )
    average: float = _field(
        STEPS,
        0.0,
        "Decay of the moving average of weights that is kept, with --databases (0.999)",
        ge=0,
        lt=1,
    )
    evaluate_every: int | None = _field(STEPS, 250, "Steps between evaluations; an epoch if none", ge=1)
    patience: int | None = _field(STEPS, None, "Stop after so many evaluations without a better one", ge=1)
    max_hours: float | None = _field(STEPS, None, "Stop after so many hours", gt=0)

    @model_validator(mode="before")
    @classmethod
    def _defaults_of_each_other(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Fill in defaults that depend on other fields: each loss has margin and scale of its own."""
        defaults: dict[str, Any] = {}
        if values.get("loss", "margin") == "margin" and values.get("margin", "arcface") == "arcface":
            defaults = {"margin_size": 0.2, "scale": 24.0}
        if "steps" not in values and "epochs" not in values:
            defaults["steps"] = 2200
        return defaults | values

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if (self.steps is None) == (self.epochs is None):
            raise ValueError("give `steps` or `epochs`, and not both")
        if self.loss != "margin" and self.sampling not in (None, "balanced"):
            raise ValueError(
                f"the loss {self.loss!r} compares words of one writer: it needs balanced sampling"
            )
        if self.loss == "margin" and self.miner is not None:
            raise ValueError(f"the miner {self.miner!r} serves a loss on pairs: give `loss` too")
        return self

    @classmethod
    def read(cls, values: dict[str, Any], place: str) -> Self:
        """Validate values.

        Args:
            values: Fields of the recipe.
            place: Where they come from, for the error message.

        Raises:
            HandshiftError: A field is unknown or its value is out of range.
        """
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            problems = "; ".join(
                ": ".join([*(str(part) for part in one["loc"][:1]), one["msg"].removeprefix("Value error, ")])
                for one in error.errors()
            )
            raise HandshiftError(f"{place}: {problems}") from error

    def changed(self, given: dict[str, Any]) -> Self:
        """Return the recipe with the given fields replaced.

        Raises:
            HandshiftError: A field is unknown or its value is out of range.
        """
        values = self.model_dump()
        for name, replaced in _REPLACES.items():
            if name in given and given[name] != getattr(self, name):
                values = {field: value for field, value in values.items() if field not in replaced}
        return type(self).read({**values, **given}, "train embed")


Accelerator = Literal["cpu", "cuda", "mps"]


def training_config(recipe: Recipe, accelerator: Accelerator = "cpu") -> TrainingConfig:
    """Convert the recipe's optimisation fields for `fit`; the best checkpoint has the highest held-out AUC.

    Raises:
        HandshiftError: The fields contradict each other.
    """
    every = recipe.evaluate_every
    if every is not None and recipe.steps is not None:
        every = min(every, recipe.steps)
    try:
        return _config(recipe, every, accelerator)
    except ValidationError as error:
        raise HandshiftError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error


def _config(recipe: Recipe, every: int | None, accelerator: Accelerator) -> TrainingConfig:
    from handshift.training import TrainingConfig  # imports torch, for which --help must not wait

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
    """Return the fields that distinguish this training from others, for resuming."""
    from handshift.training.config import PACE_FIELDS

    return recipe.model_dump(mode="json", exclude=set(PACE_FIELDS))


def identity_defaults() -> dict[str, Any]:
    """Return the default of every field of the identity: what a run had before the field existed."""
    from handshift.training.config import PACE_FIELDS

    return {name: field.default for name, field in Recipe.model_fields.items() if name not in PACE_FIELDS}
