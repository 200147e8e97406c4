"""Our Dinomaly or PatchCore on a data set, in a process of its own; called by maps_peer.py.

    python benchmarks/peer_ours.py NORMAL DATA OUT.json --model dinomaly --encoder FOLDER --steps 200

NORMAL is the data set without its test maps, so that training does not score them. What a user runs: `maps
train`, then the model's `examine` from file to score, by onnxruntime. Dinomaly has the original's decoder
(the encoder's width), class token and optimizer, as anomalib's has.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path

import torch

from handshift.healthmap.dataset import read_dataset
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.health_map import read_map
from handshift.healthmap.train_detector import DetectorTraining
from handshift.healthmap.trained_model import TrainedModel

HEADS = 6


def measure() -> None:
    """Train, score, and write scores, seconds and memory."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("normal", type=Path)
    options.add_argument("data", type=Path)
    options.add_argument("out", type=Path)
    options.add_argument("--model", choices=("dinomaly", "patchcore"), required=True)
    options.add_argument("--encoder", required=True)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--depth", type=int, default=8)
    options.add_argument("--seed", type=int, default=42)
    given = options.parse_args()
    torch.set_num_threads(1)
    recipe = DinomalyRecipe(
        depth=given.depth, heads=HEADS, steps=given.steps, warmup=min(100, given.steps // 2), amsgrad=True,
        plain_decay=True, class_tokens=True, seed=given.seed, options={"ramp": 1000},
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as home:
        started = time.perf_counter(), time.process_time()
        DetectorTraining(
            given.normal, Path(home) / "model", detector=given.model, recipe=recipe, encoder=given.encoder,
            target=0.2, threads=1,
        ).run()  # fmt: skip
        trained = time.perf_counter() - started[0], time.process_time() - started[1]
        model = TrainedModel.load(Path(home) / "model")
        items = read_dataset(given.data).test
        model.examine(read_map(items[0].path), items[0].domain)  # loads and warms up
        began = time.perf_counter(), time.process_time()
        scores = [model.examine(read_map(item.path), item.domain).score for item in items]
        took = time.perf_counter() - began[0], time.process_time() - began[1]
    record = {
        "scores": scores,
        "seconds_to_train": {"clock": trained[0], "processor": trained[1]},
        "seconds_a_map": {"clock": took[0] / len(items), "processor": took[1] / len(items)},
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    given.out.write_text(json.dumps(record), encoding="utf-8")


if __name__ == "__main__":
    measure()
