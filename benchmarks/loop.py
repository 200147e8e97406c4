"""Steps per second of ``training.fit`` against a bare PyTorch loop on the same model and batches.

    python benchmarks/loop.py [--steps 20] [--rounds 20] [--threads 1]

The two take turns in short rounds. A step is timed from one call of the loss to the next, so that start-up
and the last checkpoint do not count; medians over all steps keep the bursts of other work on the machine
out, and the tenth percentile shows the undisturbed step. The bare loop has nothing but forward, backward and
AdamW, on batches lying ready in memory.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Mapping

import numpy as np
import torch
from result_file import Benchmark
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
        self.called: list[float] = []
        self.ready = [(torch.randn(32, 1, 64, 128), torch.randint(100, (32,))) for _ in range(8)]

    @staticmethod
    def stage(inputs: int, outputs: int) -> list[nn.Module]:
        return [nn.Conv2d(inputs, outputs, 3, 2, 1), nn.BatchNorm2d(outputs), nn.ReLU()]

    def batch(self, index: int) -> tuple[Tensor, Tensor]:
        return self.ready[index % len(self.ready)]

    def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        self.called.append(time.perf_counter())
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


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    parser = benchmark.options
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    options = benchmark.begin()
    torch.set_num_threads(options.threads)
    seconds: dict[str, list[float]] = {"bare": [], "fit": []}
    for number in range(options.rounds):
        pair = [("bare", bare), ("fit", ours)]
        for name, run in pair if number % 2 else reversed(pair):
            task = Words()
            run(task, options.steps)
            seconds[name] += np.diff(task.called)[1:].tolist()  # the first step makes the optimizer's state
    ratios = {}
    for share in (50, 10):
        bare_step, fit_step = (float(np.percentile(seconds[name], share)) for name in ("bare", "fit"))
        ratios[f"percentile_{share}"] = round(bare_step / fit_step, 3)
        print(
            f"percentile {share} of {len(seconds['fit'])} steps: bare {1 / bare_step:.2f} steps/s, "
            f"fit {1 / fit_step:.2f} steps/s, fit / bare {bare_step / fit_step:.3f}"
        )
    benchmark.write(
        {
            "steps": options.steps,
            "rounds": options.rounds,
            "threads": options.threads,
            "fit_over_bare": ratios,
        }
    )
    sys.exit(int(np.median(seconds["bare"]) / np.median(seconds["fit"]) < 0.97))


if __name__ == "__main__":
    main()
