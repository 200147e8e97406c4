"""Defects of magnetic tiles: Dinomaly and PatchCore on one encoder, by picture and by pixel.

    python benchmarks/tiles.py --data magnetic_tile --encoder dinov2 [--kept runs/tiles]

The last quarter of each exposure's good tiles and all defective ones are tested on, the tenth of the good
ones before them is held back, the rest is learned from. One model for all exposures. Pixels are compared at
the encoder's frame, every second row and column. Features are kept in --kept, so that a second call takes
seconds. Data: Huang et al. 2018, free for research.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from handshift.atomic import write_text
from handshift.corpus.manifest import read_rows
from handshift.healthmap.baselines import PatchCore
from handshift.healthmap.dataset import MapItem, survey
from handshift.healthmap.dinomaly.recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.task import DinomalyTask
from handshift.healthmap.encoder.frozen import frozen_encoder
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import resizing_for
from handshift.healthmap.scoring import Scoring
from handshift.metrics import aupro, auroc, bootstrap_interval, tpr_at_fpr
from handshift.training import fit

STRIDE = 2


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--encoder", required=True)
    options.add_argument("--tokens", type=int, default=16)
    options.add_argument("--steps", type=int, default=400)
    options.add_argument("--seed", type=int, default=42)
    options.add_argument("--kept", type=Path, default=Path("runs/tiles"))
    options.add_argument("--out", type=Path, default=Path("results/tiles.json"))
    given = options.parse_args()
    torch.set_num_threads(1)
    parts = _parts(given.data)
    print({name: len(items) for name, items in parts.items()}, flush=True)
    profile = survey(parts["train"])
    encoder = frozen_encoder(given.encoder, (given.tokens, given.tokens))
    resizing = resizing_for(profile, encoder.grid, encoder.patch, "whole")
    features = {}
    for name, items in parts.items():
        features[name] = FeatureCache(given.kept / name, encoder, resizing, profile).features(items)
        print(f"features of {name} kept", flush=True)
    truth = np.array([item.label for item in parts["test"]])
    masks = np.stack([_mask(item, resizing.frame) for item in parts["test"]])
    found: dict[str, Any] = {}
    for name, distances in _detectors(features, given).items():
        scoring = Scoring(top=1.0)
        maps = scoring.anomaly_maps(distances, encoder.grid, resizing)
        found[name] = _figures(scoring.scores(maps), maps[:, ::STRIDE, ::STRIDE], truth, masks, parts["test"])
        print(name, json.dumps(found[name]), flush=True)
    result = {
        "command": "python benchmarks/tiles.py --data magnetic_tile --encoder dinov2 "
        f"--tokens {given.tokens} --steps {given.steps}",
        "encoder": "DINOv2-derived ViT-S/14",
        "pixels": list(resizing.frame),
        "tiles": {name: len(items) for name, items in parts.items()},
        "defective": int(truth.sum()),
        **found,
    }
    write_text(given.out, json.dumps(result, indent=1) + "\n")


def _parts(data: Path) -> dict[str, list[MapItem]]:
    """One domain of all exposures, whose good tiles are divided each for itself."""
    parts: dict[str, list[MapItem]] = {"train": [], "validation": [], "test": []}
    good: dict[str, list[MapItem]] = {}
    for _, row in read_rows(data / "manifest.csv", ("path", "label", "defect", "domain", "mask")):
        if row["label"] == "normal":
            good.setdefault(row["domain"], []).append(MapItem(data / row["path"], "tiles"))
        else:
            parts["test"].append(MapItem(data / row["path"], "tiles", row["defect"], data / row["mask"]))
    for items in good.values():
        learned, held = (int(share * len(items)) for share in (0.65, 0.75))
        parts["train"] += items[:learned]
        parts["validation"] += items[learned:held]
        parts["test"] += items[held:]
    return parts


def _detectors(features: dict[str, Any], given: argparse.Namespace) -> dict[str, NDArray[np.float32]]:
    recipe = DinomalyRecipe(
        width=128, depth=4, steps=given.steps, warmup=given.steps // 10, batch=8, seed=given.seed,
        options={"ramp": given.steps},
    )  # fmt: skip
    task = DinomalyTask(recipe, features["train"], ["tiles"] * len(features["train"]), features["validation"])
    fit(task, recipe.training(), given.kept / "training", identity=recipe.identity(), progress_bar=False)
    patchcore = PatchCore.fit(features["train"], seed=given.seed, kept=2000)
    return {
        "dinomaly": task.distances(features["test"]),
        "patchcore": patchcore.measured(features["test"]),
    }


def _mask(item: MapItem, frame: tuple[int, int]) -> NDArray[np.bool_]:
    if item.mask is None:
        return np.zeros((frame[0] // STRIDE, frame[1] // STRIDE), bool)
    picture = cv2.imread(str(item.mask), cv2.IMREAD_GRAYSCALE)
    assert picture is not None, item.mask
    share = cv2.resize((picture > 0).astype(np.float32), frame[::-1], interpolation=cv2.INTER_AREA)
    return share[::STRIDE, ::STRIDE] > 0.25  # a thin crack is narrower than a pixel of the frame


def _figures(
    scores: NDArray[np.float64],
    maps: NDArray[np.float32],
    truth: NDArray[np.int64],
    masks: NDArray[np.bool_],
    items: list[MapItem],
) -> dict[str, Any]:
    interval = bootstrap_interval(
        np.arange(truth.size), lambda rows: auroc(truth[rows], scores[rows]), repeats=500
    )
    defects = np.array([item.defect for item in items])
    return {
        "image_auroc": round(interval.value, 4),
        "image_auroc_95": [round(interval.low, 4), round(interval.high, 4)],
        "tpr_at_fpr_5": round(tpr_at_fpr(truth, scores, 0.05), 4),
        "pixel_auroc": round(auroc(masks.ravel(), maps.ravel()), 4),
        "aupro_30": round(aupro(maps, masks), 4),
        "image_auroc_by_defect": {
            name: round(auroc(truth[rows], scores[rows]), 4)
            for name in sorted(set(defects[truth == 1]))
            for rows in [(truth == 0) | (defects == name)]
        },
    }


if __name__ == "__main__":
    main()
