"""`TrainingConfig`: the settings of one training."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

# A run may be resumed with these changed: they affect its speed, not its result.
PACE_FIELDS = frozenset({"workers", "ahead", "log_every", "checkpoint_every", "tensorboard", "max_hours"})


class TrainingConfig(BaseModel):
    """Settings of one training. Every field but those in ``PACE_FIELDS`` is part of the run's identity."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    steps: int | None = Field(default=None, ge=1, description="optimizer steps; give this or `epochs`")
    epochs: int | None = Field(default=None, ge=1, description="passes of `task.steps_per_epoch` steps")
    seed: int = Field(default=0, ge=0)

    optimizer: Literal["adamw", "stable-adamw"] = "adamw"
    weight_decay: float = Field(default=5e-4, ge=0)
    betas: tuple[float, float] = (0.9, 0.999)
    amsgrad: bool = Field(
        default=False, description="StableAdamW divides by the largest second moment so far"
    )
    epsilon: float = Field(default=1e-8, gt=0, description="added to the denominator of the update")
    plain_decay: bool = Field(
        default=False, description="StableAdamW decays by the learning rate, not clipped"
    )
    clip: float | None = Field(default=None, gt=0, description="largest total gradient norm")
    accumulate: int = Field(default=1, ge=1, description="batches per optimizer step")
    precision: Literal["32", "bf16-mixed", "16-mixed"] = "32"

    schedule: Literal["onecycle", "warm-cosine", "constant"] = "onecycle"
    stepped: Literal["per_step", "per_epoch"] = "per_step"
    max_lr: float = Field(default=1e-3, gt=0)
    warmup: float = Field(
        default=0.1, ge=0, lt=1, description="share of all steps before `max_lr` is reached"
    )
    start_factor: float | None = Field(default=None, ge=0, le=1, description="first lr / max_lr")
    end_factor: float | None = Field(default=None, ge=0, le=1, description="last lr / max_lr")

    evaluate_every: int | None = Field(default=None, ge=1, description="steps; once per epoch when not given")
    monitor: str | None = Field(default=None, description="name of the metric that chooses the best weights")
    mode: Literal["max", "min"] = "max"
    patience: int | None = Field(default=None, ge=1, description="evaluations without a better `monitor`")
    on_nan: Literal["stop", "skip"] = "stop"

    checkpoint_every: int | None = Field(
        default=None, ge=1, description="steps; at every evaluation when not given"
    )
    log_every: int = Field(default=10, ge=1)
    max_hours: float | None = Field(default=None, gt=0, description="stop after this much training time")
    workers: int = Field(default=0, ge=0, description="processes that prepare batches; 0 is one thread")
    ahead: int = Field(default=4, ge=1, description="batches kept ready")
    tensorboard: bool = True
    accelerator: Literal["cpu", "cuda", "mps"] = "cpu"

    @model_validator(mode="after")
    def _steps_or_epochs(self) -> TrainingConfig:
        if (self.steps is None) == (self.epochs is None):
            raise ValueError("give exactly one of `steps` and `epochs`")
        if self.patience is not None and self.monitor is None:
            raise ValueError("`patience` needs `monitor`: the name of the metric that must improve")
        if self.precision == "16-mixed" and self.accelerator == "cpu":
            raise ValueError("`precision` 16-mixed needs a GPU; on a CPU use bf16-mixed or 32")
        return self

    def total_steps(self, steps_per_epoch: int) -> int:
        """Optimizer steps of the whole training."""
        return self.steps if self.steps is not None else (self.epochs or 0) * steps_per_epoch

    def identity(self) -> dict[str, object]:
        """The fields that decide the final weights, as plain JSON values."""
        return self.model_dump(mode="json", exclude=set(PACE_FIELDS))

    @classmethod
    def defaults(cls) -> dict[str, object]:
        """The default of every field of the identity."""
        return {name: field.default for name, field in cls.model_fields.items() if name not in PACE_FIELDS}
