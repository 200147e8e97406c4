"""Steps per second of ``training.fit`` against a bare PyTorch loop on the same model and batches.

    python benchmarks/loop.py [--steps 30] [--rounds 12] [--threads 1]

The two take turns in short rounds, so that other work on the machine slows both alike; the median of the
ratios is printed, of wall time and of processor time, which other work disturbs less. The bare loop has
nothing but forward, backward and AdamW, on batches lying ready in memory. One thread by default: with more,
a busy machine measures how OpenMP threads wait for each other, not the loop.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn

from handshift.training import TrainingConfig, fit


class Words:
    """A small CNN on 32 word images of 64×128, about the size of the shipped embedding's training step."""

    steps_per_epoch = 1000

    def __init__(self) -> None:
        torch.manual_seed(0)
        self.module = nn.Sequential(
            *(layer for i, o in [(1, 16), (16, 32), (32, 64)] for layer in self.stage(i, o)),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(64, 100),
        )
        self.ready = [(torch.randn(32, 1, 64, 128), torch.randint(100, (32,))) for _ in range(8)]

    @staticmethod
    def stage(inputs: int, outputs: int) -> list[nn.Module]:
        return [nn.Conv2d(inputs, outputs, 3, 2, 1), nn.BatchNorm2d(outputs), nn.ReLU()]

    def batch(self, index: int) -> tuple[Tensor, Tensor]:
        return self.ready[index % len(self.ready)]

    def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        images, writers = batch
        return nn.functional.cross_entropy(self.module(images), writers), {}

    def evaluate(self) -> Mapping[str, float]:
        return {}


def bare(task: Words, steps: int) -> None:
    optimizer = torch.optim.AdamW(task.module.parameters(), lr=1e-3)
    task.module.train()
    for step in range(steps):
        loss, _ = task.loss(task.batch(step))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


def ours(task: Words, steps: int) -> None:
    config = TrainingConfig(steps=steps, evaluate_every=steps, schedule="constant", log_every=10)
    with tempfile.TemporaryDirectory() as folder:
        fit(task, config, folder, progress_bar=False)


def timed(run: Callable[[Words, int], None], steps: int) -> tuple[float, float]:
    """Wall and processor seconds of one more step, start-up and last checkpoint taken out."""
    wall, processor = [], []
    for count in (1, steps + 1):
        task = Words()
        clocks = time.perf_counter(), time.process_time()
        run(task, count)
        wall.append(time.perf_counter() - clocks[0])
        processor.append(time.process_time() - clocks[1])
    return (wall[1] - wall[0]) / steps, (processor[1] - processor[0]) / steps


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    bare(Words(), 10)
    ours(Words(), 10)
    walls, processors = [], []
    for number in range(options.rounds):
        order = (bare, ours) if number % 2 else (ours, bare)
        seconds = {run: timed(run, options.steps) for run in order}
        walls.append(seconds[bare][0] / seconds[ours][0])
        processors.append(seconds[bare][1] / seconds[ours][1])
        print(f"bare {1 / seconds[bare][0]:7.2f} steps/s   fit {1 / seconds[ours][0]:7.2f} steps/s")
    wall, processor = statistics.median(walls), statistics.median(processors)
    print(
        f"fit / bare, median of {options.rounds}: wall {wall:.3f}, processor {processor:.3f} (wanted ≥ 0.97)"
    )
    sys.exit(wall < 0.97)


if __name__ == "__main__":
    main()
