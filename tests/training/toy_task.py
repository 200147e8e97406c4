"""A task that trains in a blink, with dropout and batch norm so that resuming has something to lose."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from handshift.training import batch_generator


class ToyTask:
    steps_per_epoch = 10

    def __init__(self, seed: int = 0, nan_at: int | None = None, plateau: bool = False) -> None:
        torch.manual_seed(seed)
        self.module = nn.Sequential(
            nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 2)
        )
        self.seed, self.nan_at, self.plateau = seed, nan_at, plateau
        self.seen: list[int] = []

    def batch(self, index: int) -> tuple[Tensor, Tensor]:
        random = batch_generator(self.seed, index)
        x = torch.from_numpy(random.normal(size=(32, 8)).astype("float32"))
        if index == self.nan_at:
            x[0, 0] = float("nan")
        return x, (x[:, 0] + x[:, 1] > 0).long()

    def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        x, y = batch
        logits = self.module(x)
        loss = nn.functional.cross_entropy(logits, y)
        return loss, {"accuracy": (logits.argmax(1) == y).float().mean()}

    def evaluate(self) -> Mapping[str, float]:
        x, y = self.batch(1_000_000)
        accuracy = (self.module(x).argmax(1) == y).float().mean().item()
        return {"accuracy": 0.5 if self.plateau else accuracy}
