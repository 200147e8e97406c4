"""Time of health maps: training from cached features against encoding in every step, maps scored a second.

    python benchmarks/maps.py [--dinov2 FOLDER] [--steps 1000] [--threads 2]

Maps are simulated. "Encoding again" is the same training, of the same decoder on the same batches, whose
features are computed in every step; it is timed over fewer steps. Scoring is `handshift maps score` without
its printing: file to verdict, one map at a time, by onnxruntime. The whole way is `maps simulate`, `train`
and `score` as three commands, with the shipped encoder. FOLDER is a DINOv2-derived ViT-S/14; without it those
rows are left out. Times are given by the clock and by the processor: on a quiet machine the
first is what a user waits, on a busy one only the second means something.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from result_file import Benchmark

from handshift.healthmap.dataset import profile_maps, read_dataset
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.dinomaly_task import DinomalyTask
from handshift.healthmap.encoder import load_frozen_encoder
from handshift.healthmap.features import FeatureCache, encode
from handshift.healthmap.framing import default_tokens, resizing_for
from handshift.healthmap.health_map import read_map
from handshift.healthmap.simulate.simulate_dataset import SimulatedRun
from handshift.healthmap.train_detector import DetectorTraining
from handshift.healthmap.trained_model import TrainedModel
from handshift.training import fit

ENCODED_AGAIN = 8
"""Steps of the slow training."""
WAY_TRAIN, WAY_TEST = 100, 25
"""Normal maps of each domain to learn from, and normal and as many faulty ones to score, of the whole way."""
STUDY: dict[str, Any] = {"width": 64, "depth": 2, "warmup": 100, "batch": 16}


class EncodingAgain(DinomalyTask):
    """The same training that keeps nothing."""

    def __init__(self, task: DinomalyTask, encoder: Any, pictures: np.ndarray) -> None:
        self.__dict__ |= task.__dict__
        self.encoder, self.pictures = encoder, torch.from_numpy(pictures)

    def batch(self, index: int) -> dict[str, Any]:
        chosen = self.indices(index)
        return {**super().batch(index), "features": encode(self.encoder, self.pictures[chosen])}


@dataclass(frozen=True)
class Took:
    """Seconds by the clock and by the processor."""

    clock: float
    processor: float

    @classmethod
    def by(cls, work: Callable[[], object]) -> Took:
        """Time some work, and the processes it waits for."""
        clock, processor = time.perf_counter(), sum(os.times()[:4])
        work()
        return cls(time.perf_counter() - clock, sum(os.times()[:4]) - processor)

    def a(self, count: int) -> dict[str, float]:
        """Of one of ``count`` like pieces of work."""
        return {"clock": round(self.clock / count, 5), "processor": round(self.processor / count, 5)}

    def a_second(self, count: int) -> dict[str, float]:
        """Pieces of work a second."""
        return {"clock": round(count / self.clock, 1), "processor": round(count / self.processor, 1)}


def main() -> None:
    benchmark = Benchmark(__file__, __doc__, "maps-cost")
    options = benchmark.options
    options.add_argument("--dinov2", type=Path)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--threads", type=int, default=2)
    given = benchmark.begin()
    torch.set_num_threads(given.threads)
    encoders = {"maps-1": None} | ({"DINOv2-derived ViT-S/14": str(given.dinov2)} if given.dinov2 else {})
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        SimulatedRun(train=40, test=10, seed=1).write(folder / "maps")
        rows = {
            name: _measure(folder / name.split()[0], folder / "maps", encoder, given)
            for name, encoder in encoders.items()
        }
        way = Took.by(lambda: _whole_way(folder / "way", given))
    sizes = {"maps": 4 * (WAY_TRAIN + 2 * WAY_TEST), "steps": given.steps}
    benchmark.write({"threads": given.threads, **rows, "whole_way": {**sizes, "seconds": way.a(1)}})


def _whole_way(home: Path, given: argparse.Namespace) -> None:
    """Simulate, train and score by three commands."""
    data, model = str(home / "gearbox"), str(home / "model")
    counts = ["--train", str(WAY_TRAIN), "--test", str(WAY_TEST)]
    size = [word for name in ("width", "depth") for word in (f"--{name}", str(STUDY[name]))]
    calls = (
        ["simulate", data, *counts],
        ["train", data, "--out", model, *size, "--steps", str(given.steps), "--threads", str(given.threads)],
        ["score", model, data],
    )
    for call in calls:
        command = [sys.executable, "-m", "handshift", "maps", *call]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def _measure(home: Path, data: Path, name: str | None, given: argparse.Namespace) -> dict[str, Any]:
    dataset = read_dataset(data)
    profile = profile_maps(dataset.train)
    encoder = load_frozen_encoder(name, default_tokens(profile))
    cache = FeatureCache(home / "cache", encoder, resizing_for(profile, encoder.grid, encoder.patch), profile)
    encoding = Took.by(lambda: cache.features(dataset.train))
    features = cache.features(dataset.train)
    domains = [item.domain for item in dataset.train]
    recipe = DinomalyRecipe(steps=given.steps, **STUDY)
    kept = _training(DinomalyTask(recipe, features, domains, features[:8]), recipe, home / "kept")
    short = recipe.model_copy(update={"steps": ENCODED_AGAIN, "warmup": 2})
    pictures = cache.pictures(dataset.train)
    slow = EncodingAgain(DinomalyTask(short, features, domains, features[:8]), encoder, pictures)
    encoding_each_step = _training(slow, short, home / "encoding")
    step, slow_step = kept.a(given.steps), encoding_each_step.a(ENCODED_AGAIN)
    return {
        "steps": given.steps,
        "seconds_of_1000_steps": {name: round(1000 * value, 1) for name, value in step.items()},
        "seconds_a_step": step,
        "seconds_a_step_encoding_again": slow_step,
        "times_faster": {name: round(slow_step[name] / value, 1) for name, value in step.items()},
        "seconds_to_encode_a_map_once": encoding.a(len(dataset.train)),
        "maps_scored_a_second": _scored_a_second(home, data, name, given.threads),
    }


def _training(task: DinomalyTask, recipe: DinomalyRecipe, folder: Path) -> Took:
    config = recipe.training().model_copy(update={"tensorboard": False})
    return Took.by(lambda: fit(task, config, folder, progress_bar=False))


def _scored_a_second(home: Path, data: Path, name: str | None, threads: int) -> dict[str, float]:
    recipe = DinomalyRecipe(width=64, steps=10, depth=2, warmup=1)
    DetectorTraining(data, home / "model", recipe=recipe, encoder=name, target=0.2, threads=threads).run()
    model = TrainedModel.load(home / "model", threads)
    paths = [item.path for item in read_dataset(data).test]
    model.examine(read_map(paths[0]), "A")  # loads and warms up
    took = Took.by(lambda: [model.examine(read_map(path), model.domain_of(path)) for path in paths])
    return took.a_second(len(paths))


if __name__ == "__main__":
    main()
