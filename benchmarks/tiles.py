"""Defects of magnetic tiles: Dinomaly and PatchCore on one encoder, by picture and by pixel.

    python benchmarks/tiles.py --data magnetic_tile --encoder dinov2 [--half report] [--scale 1.5]

A tile was photographed in six exposures, so pictures are divided by tile: five eighths of the good tiles are
learned from; half of the defective ones and an eighth of the good ones choose the settings, the others are
to report. --split random divides pictures instead, as published figures do: other exposures of a tested tile
are then learned from. Intervals resample tiles, never pictures. One model for all exposures and shapes:
tiles are not squeezed but have as many patches as they need (--squeezed 224 for the usual square). Pixels
are compared at 128×128. PatchCore compares directions (some patches of DINOv2 have a norm of their own,
whatever they show), and its coreset is selected from all patches: a random tenth would leave out the rare
blemishes of good tiles. Distances are smoothed over --blur patches. All this was chosen on the half to
choose by. Features are kept in --kept and a finished detector in --state, so that an interrupted call goes
on. Data: Huang et al. 2018, free for research.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from journalled_pieces import add, rows
from numpy.typing import NDArray
from result_file import Benchmark
from tile_pictures import TileFeatures, mask_of, parts_of, tile_numbers

from handshift.healthmap.baselines import PatchCore
from handshift.healthmap.baselines.patchcore import PatchCoreOptions
from handshift.healthmap.dataset import MapItem
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.dinomaly_task import DinomalyTask
from handshift.metrics import aupro, auroc, bootstrap_interval, tpr_at_fpr
from handshift.training import batch_generator, fit

FRAME = (128, 128)
TOP = 0.01
"""Share of a tile's pixels whose mean is its score."""
LATE = slice(1, 2)
"""PatchCore uses the late group alone: the early one responds to the grain, which is everywhere."""


Distances = Callable[[NDArray[np.float16]], NDArray[np.float32]]
"""Features of a tile (1, groups, patches, width) → how odd each patch is (1, 1, patches)."""


class OneTileAStep(DinomalyTask):
    """Tiles differ in shape, so a batch is one tile; two are as many patches as the studies' sixteen maps."""

    def __init__(self, recipe: DinomalyRecipe, tiles: TileFeatures, items: list[MapItem]) -> None:
        self.tiles, self.items = tiles, items
        first = tiles.features(items[0])
        super().__init__(recipe, first, ["tiles"], first)

    def batch(self, index: int) -> dict[str, Any]:
        chosen = int(batch_generator(self.recipe.seed, index).integers(len(self.items)))
        return {
            "features": np.asarray(self.tiles.features(self.items[chosen]), np.float32),
            "domains": np.zeros(1, np.int64),
            "step": index,
        }


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, required=True)
    options.add_argument("--encoder", required=True)
    options.add_argument("--split", choices=("tile", "random"), default="tile")
    options.add_argument("--half", choices=("choose", "report"), nargs="+", default=["choose", "report"])
    options.add_argument("--scale", type=float, default=1.5, help="of the picture the encoder sees")
    options.add_argument("--squeezed", type=int, default=0, help="side of a square, instead of --scale")
    options.add_argument("--learned", type=int, help="pictures to learn from, all by default")
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--memory", type=int, default=10_000)
    options.add_argument("--blur", type=float, default=0.7, help="σ of a Gaussian, in patches")
    options.add_argument("--seed", type=int, default=42)
    options.add_argument("--kept", type=Path, default=Path("runs/tiles"))
    options.add_argument("--state", type=Path, default=Path("runs/tiles.jsonl"))
    given = benchmark.begin()
    torch.set_num_threads(1)
    parts = parts_of(given.data, by_tile=given.split == "tile")
    learned = (
        parts["train"][:: max(1, len(parts["train"]) // given.learned)] if given.learned else parts["train"]
    )
    tiles = TileFeatures.of_all(given.data, given.encoder, given.scale, given.squeezed, given.kept)
    key = json.dumps([benchmark.origin.commit, benchmark.command()])
    pieces = _pieces(tiles, learned, parts, given, key)
    found = {
        half: {
            "pictures": len(parts[half]),
            "defective": sum(item.label for item in parts[half]),
            **{name: figures[half] for name, figures in pieces.items()},
        }
        for half in given.half
    }
    result = {
        "encoder": "DINOv2-derived ViT-S/14",
        "split": given.split,
        "learned_from": len(learned),
        **found,
    }
    benchmark.write(result)


def _pieces(
    tiles: TileFeatures,
    learned: list[MapItem],
    parts: dict[str, list[MapItem]],
    given: argparse.Namespace,
    key: str,
) -> dict[str, Any]:
    """Figures by detector and half; finished detectors are read from the journal."""
    given.state.parent.mkdir(parents=True, exist_ok=True)
    pieces = {row["piece"]: row["figures"] for row in rows(given.state) if row["key"] == key}
    for name, fit_detector in DETECTORS.items():
        if name not in pieces:
            distances = fit_detector(tiles, learned, given)
            pieces[name] = {half: _measured(distances, tiles, parts[half], given) for half in given.half}
            add(given.state, {"piece": name, "key": key, "figures": pieces[name]})
        print(name, json.dumps(pieces[name]), flush=True)
    return pieces


def _measured(
    distances: Distances, tiles: TileFeatures, items: list[MapItem], given: argparse.Namespace
) -> dict[str, Any]:
    """Figures of one detector on one half."""
    by_picture = tile_numbers(given.data)
    found = [distances(tiles.features(item)) for item in items]
    maps = _anomaly_maps(found, tiles.grids(items), given.blur)
    return _figures(maps, items, np.array([by_picture[item.path] for item in items]))


def _patchcore(tiles: TileFeatures, learned: list[MapItem], given: argparse.Namespace) -> Distances:
    train = tiles.patches(learned)
    patches = train[:, LATE, None]  # every patch as if it were a picture: (patches, 1, 1, width)
    fitted = PatchCore.fit(
        patches, seed=given.seed, options=PatchCoreOptions(coreset=given.memory, cosine=True)
    )
    return lambda tile: fitted.distances(tile[:, LATE])


def _dinomaly(tiles: TileFeatures, learned: list[MapItem], given: argparse.Namespace) -> Distances:
    recipe = DinomalyRecipe(
        width=128, depth=4, steps=given.steps, warmup=given.steps // 10, batch=1, seed=given.seed,
        options={"ramp": given.steps},
    )  # fmt: skip
    task = OneTileAStep(recipe, tiles, learned)
    training = recipe.training().model_copy(update={"tensorboard": False})
    with tempfile.TemporaryDirectory() as folder:
        fit(task, training, folder, progress_bar=False)
    return lambda tile: task.distances(tile).mean(axis=1, keepdims=True)


DETECTORS: dict[str, Callable[[TileFeatures, list[MapItem], argparse.Namespace], Distances]] = {
    "patchcore": _patchcore,
    "dinomaly": _dinomaly,
}


def _anomaly_maps(
    distances: list[NDArray[np.float32]], grids: list[tuple[int, int]], blur: float
) -> NDArray[np.float32]:
    """The grids of all tiles, smooth between their patches: (tiles, *FRAME)."""
    planes = [tile.reshape(grid) for tile, grid in zip(distances, grids, strict=True)]
    if blur:
        planes = [cv2.GaussianBlur(plane, (0, 0), blur) for plane in planes]
    return np.stack([cv2.resize(plane, FRAME[::-1], interpolation=cv2.INTER_LINEAR) for plane in planes])


def _figures(maps: NDArray[np.float32], items: list[MapItem], tiles: NDArray[np.int64]) -> dict[str, Any]:
    pixels = np.sort(maps.reshape(len(maps), -1), axis=1)
    scores = pixels[:, -int(TOP * pixels.shape[1]) :].mean(axis=1, dtype=np.float64)
    truth = np.array([item.label for item in items])
    masks = np.stack([mask_of(item, FRAME) for item in items])
    interval = bootstrap_interval(tiles, lambda rows: auroc(truth[rows], scores[rows]), repeats=500)
    defects = np.array([item.defect for item in items])
    return {
        "tiles": len(np.unique(tiles)),
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
