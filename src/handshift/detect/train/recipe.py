"""The recipe of a detector training: model, bag protocol, optimisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from handshift.bag.make_bags import BagOptions
from handshift.core.errors import HandshiftError
from handshift.detect.mil import MODELS
from handshift.training import TrainingConfig


class DetectRecipe(BaseModel):
    """One training of one detector."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = Field(default="relation-net", description=", ".join(MODELS))
    protocol: Literal["words", "source"] = Field(
        default="words", description="words: words replaced, then read; source: its bags of replaced windows"
    )
    words: int = Field(default=14, ge=2, description="words of a bag, of which 1 to half are foreign")
    longer: bool = Field(default=True, description="every second step takes longer bags, up to whole pages")
    spliced: bool = Field(default=True, description="most one-hand bags from two sessions of the writer")
    fixed: int = Field(default=0, ge=0, description="train on so many bags, drawn once; 0 draws new ones")
    steps: int = Field(default=2000, ge=1)
    batch: int = Field(default=64, ge=2, description="bags of a step, half of them by several hands")
    rate: float | None = Field(default=None, gt=0, description="highest learning rate")
    evaluate_every: int = Field(default=100, ge=1)
    patience: int | None = Field(default=None, ge=1, description="evaluations without a better AUC")
    held_out: int = Field(default=1000, ge=40, description="bags of each validation and of each test")
    seed: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _known(self) -> DetectRecipe:
        if self.model not in MODELS:
            raise ValueError(f"`model` {self.model} is not known; choose {', '.join(MODELS)}")
        return self

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> DetectRecipe:
        """Validate options.

        Raises:
            HandshiftError: an option is unknown or out of range.
        """
        try:
            return cls(**given)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            message = first["msg"].removeprefix("Value error, ")
            raise HandshiftError(f"{where}: {message}" if where else message) from error

    def used(self, bag_options: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The settings that a training really used, for its record.

        Args:
            bag_options: of the folder that the bags were read from, instead of being drawn.
        """
        used = self.model_dump(mode="json") | {"rate": self.training().max_lr}
        if bag_options is None and self.protocol == "words":
            return used
        for name in ("words", "longer", "spliced", "fixed", "held_out"):
            used.pop(name)
        return used | {"bags": dict(bag_options or BagOptions(protocol="source", seed=self.seed).record())}

    def training(self) -> TrainingConfig:
        """Settings of the training loop; the source's one-cycle schedule runs 1e-5 → 1e-4 → 1e-6."""
        source = self.protocol == "source"
        return TrainingConfig(
            steps=self.steps,
            seed=self.seed,
            max_lr=self.rate or (1e-4 if source else 1e-3),
            start_factor=0.1 if source else None,
            end_factor=0.01 if source else None,
            evaluate_every=min(self.evaluate_every, self.steps),
            patience=self.patience,
            monitor="auc",
            clip=1.0,
        )
