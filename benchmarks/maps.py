"""What health maps cost: training from kept features against encoding again, and maps scored a second.

    python benchmarks/maps.py [--dinov2 FOLDER] [--steps 1000] [--threads 1]

Maps are simulated. "Encoding again" is the same training, of the same decoder on the same batches, whose
features are computed in every step; it is timed over fewer steps. Scoring is `handshift maps score` without
its printing: file to verdict, one map at a time, by onnxruntime. FOLDER is a DINOv2-derived ViT-S/14; without
it those rows are left out. All times are processor seconds: other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from handshift.atomic import write_text
from handshift.healthmap.dataset import read_dataset, survey
from handshift.healthmap.dinomaly.recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.task import DinomalyTask
from handshift.healthmap.encoder.frozen import frozen_encoder
from handshift.healthmap.features import FeatureCache, encoded
from handshift.healthmap.framing import default_tokens, resizing_for
from handshift.healthmap.maps import read_map
from handshift.healthmap.model import TrainedModel
from handshift.healthmap.run import MapRun
from handshift.healthmap.simulate.run import SimulatedRun
from handshift.training import fit

ENCODED_AGAIN = 8
"""Steps of the slow training."""
STUDY: dict[str, Any] = {"width": 64, "depth": 2, "warmup": 24, "batch": 16, "options": {"ramp": 240}}


class EncodingAgain(DinomalyTask):
    """The same training that keeps nothing."""

    def __init__(self, task: DinomalyTask, encoder: Any, pictures: np.ndarray) -> None:
        self.__dict__ |= task.__dict__
        self.encoder, self.pictures = encoder, torch.from_numpy(pictures)

    def batch(self, index: int) -> dict[str, Any]:
        made = super().batch(index)
        random = np.random.default_rng((self.recipe.seed, index))
        chosen = np.sort(random.choice(len(self.features), len(made["domains"]), replace=False))
        return {**made, "features": encoded(self.encoder, self.pictures[chosen])}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--dinov2", type=Path)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--out", type=Path, default=Path("results/maps-cost.json"))
    given = options.parse_args()
    torch.set_num_threads(given.threads)
    encoders = {"maps-1": None} | ({"DINOv2-derived ViT-S/14": str(given.dinov2)} if given.dinov2 else {})
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        SimulatedRun(train=40, test=10, seed=1).write(folder / "maps")
        rows = {
            name: _measure(folder / name.split()[0], folder / "maps", encoder, given)
            for name, encoder in encoders.items()
        }
    result = {"command": "python benchmarks/maps.py --dinov2 FOLDER", "threads": given.threads, **rows}
    write_text(given.out, json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


def _measure(home: Path, data: Path, name: str | None, given: argparse.Namespace) -> dict[str, float]:
    dataset = read_dataset(data)
    profile = survey(dataset.train)
    encoder = frozen_encoder(name, default_tokens(profile))
    cache = FeatureCache(home / "cache", encoder, resizing_for(profile, encoder.grid, encoder.patch), profile)
    began = time.process_time()
    features = cache.features(dataset.train)
    encoding = time.process_time() - began
    domains = [item.domain for item in dataset.train]
    recipe = DinomalyRecipe(steps=given.steps, **STUDY)
    kept = _seconds(DinomalyTask(recipe, features, domains, features[:8]), recipe, home / "kept")
    short = recipe.model_copy(update={"steps": ENCODED_AGAIN, "warmup": 2})
    slow = EncodingAgain(
        DinomalyTask(short, features, domains, features[:8]), encoder, cache.pictures(dataset.train)
    )
    again = _seconds(slow, short, home / "again")
    per_step, per_slow_step = kept / given.steps, again / ENCODED_AGAIN
    return {
        "steps": given.steps,
        "training_seconds": round(kept, 1),
        "seconds_of_1000_steps": round(1000 * per_step, 1),
        "seconds_a_step": round(per_step, 4),
        "seconds_a_step_encoding_again": round(per_slow_step, 4),
        "times_faster": round(per_slow_step / per_step, 1),
        "encoding_once_seconds_a_map": round(encoding / len(dataset.train), 4),
        "maps_scored_a_second": round(_scored_a_second(home, data, name, given.threads), 1),
    }


def _seconds(task: DinomalyTask, recipe: DinomalyRecipe, folder: Path) -> float:
    config = recipe.training().model_copy(update={"tensorboard": False})
    began = time.process_time()
    fit(task, config, folder, progress_bar=False)
    return time.process_time() - began


def _scored_a_second(home: Path, data: Path, name: str | None, threads: int) -> float:
    recipe = DinomalyRecipe(width=64, steps=10, depth=2, warmup=1)
    MapRun(data, home / "model", recipe=recipe, encoder=name, target=0.2, threads=threads).to_the_end()
    model = TrainedModel.load(home / "model", threads)
    paths = [item.path for item in read_dataset(data).test]
    model.examine(read_map(paths[0]), "A")  # loads and warms up
    began = time.process_time()
    for path in paths:
        model.examine(read_map(path), model.domain_of(path))
    return len(paths) / (time.process_time() - began)


if __name__ == "__main__":
    main()
