"""A study task that trains a toy model slowly enough to be killed in the middle."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from handshift.study.task import Outcome, ScoredItems, StudyTask


class TinyConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    lr: float = 0.01
    steps: int = 12
    pause: float = 0.0


def train(config: TinyConfig, seed: int, folder: Path) -> Outcome:
    import torch  # here and not above: the runner must be able to start without it
    from torch import Tensor, nn

    from handshift.training import TrainingConfig, batch_generator, fit

    class Line:
        steps_per_epoch = 4

        def __init__(self) -> None:
            torch.manual_seed(seed)
            self.module = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 1))

        def batch(self, index: int) -> Tensor:
            return torch.from_numpy(batch_generator(seed, index).normal(size=(16, 4)).astype("float32"))

        def loss(self, x: Tensor) -> tuple[Tensor, Mapping[str, float | Tensor]]:
            time.sleep(config.pause)
            with (folder / "steps.log").open("a") as log:
                log.write("step\n")
            return (self.module(x)[:, 0] - x.sum(1)).square().mean(), {}

        def evaluate(self) -> Mapping[str, float]:
            x = self.batch(10**6)
            return {"error": float((self.module(x)[:, 0] - x.sum(1)).abs().mean())}

    training = TrainingConfig(
        steps=config.steps, max_lr=config.lr, seed=seed, checkpoint_every=2, tensorboard=False
    )
    error = fit(Line(), training, folder / "training", progress_bar=False).metrics["error"]
    random = np.random.default_rng(seed)
    labels = np.tile([0, 1], 40)
    items = ScoredItems(
        labels,
        labels + random.normal(size=80),
        np.repeat(["even", "odd"], 40),
        np.char.add("writer ", np.repeat(np.arange(20), 4).astype(str)),
    )
    return Outcome({"even": {"auroc": 0.9, "error": error}, "odd": {"auroc": 0.8, "error": error}}, items)


def fail(config: TinyConfig, seed: int, folder: Path) -> Outcome:
    if seed == 2:
        raise ValueError("seed 2 is cursed")
    return Outcome({"all": {"error": float(seed)}})


def constant(config: Any) -> str:
    return "tiny"


TRAINED = StudyTask(TinyConfig, train, ("auroc", "error"), constant, lower_is_better=("error",))
CURSED = StudyTask(TinyConfig, fail, ("error",), constant, lower_is_better=("error",))


def tiny_study(name: str = "tiny", **base: Any) -> dict[str, Any]:
    """The content of a study file: two learning rates, two seeds, four steps or what ``base`` says."""
    return {
        "name": name,
        "task": "tiny_study:TRAINED",
        "base": {"steps": 4, **base},
        "grid": {"lr": [0.01, 0.02]},
        "seeds": [1, 2],
        "metrics": ["error"],
        "baseline": "lr=0.01",
    }
