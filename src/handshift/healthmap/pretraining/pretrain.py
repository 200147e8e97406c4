"""Maps that no gearbox need have made, wider in every way than a data set: the encoder has seen more.

From nothing to a shipped encoder: the whole of `handshift maps pretrain`.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.core.model_card import ModelCard
from handshift.healthmap.encoder import NORMALISATION, frozen_encoder
from handshift.healthmap.export_encoder import export_map_network
from handshift.healthmap.maps import Floats
from handshift.healthmap.pretraining.masked import MEAN, STD, MaskedTask, PretrainingRecipe
from handshift.healthmap.resizing import Resizing
from handshift.training import fit

MAP_SIZE = (31, 95)
ODD_SHARE = 0.6
"""Of maps with something drawn into them; which and where is told to nobody."""


def draw_maps(random: np.random.Generator, count: int) -> Floats:
    """``count`` maps (count, 31, 95), in the unit of a domain: most values lie between 0.1 and 0.5.

    ln X = ln μ + σ_c·b_j + σ_r·a_i + σ_p·ε with μ and all σ drawn for each map, b smooth round the ring; then
    up to three shapes are added to some of them.
    """
    rows, columns = MAP_SIZE
    level = random.uniform(0.12, 0.4, (count, 1, 1))
    across, along, grain = random.uniform(0.02, [[0.25], [0.25], [0.3]], (3, count))[:, :, None, None]
    by_column = _smooth(random.normal(size=(count, 1, columns)), random.uniform(0, 0.9, (count, 1, 1)))
    by_row = random.normal(size=(count, rows, 1))
    noise = random.normal(size=(count, rows, columns))
    maps = level * np.exp(across * by_column + along * by_row + grain * noise)
    for number in np.flatnonzero(random.random(count) < ODD_SHARE):
        for _ in range(random.integers(1, 4)):
            size = level[number, 0, 0] * np.exp(random.uniform(np.log(0.2), np.log(4)))
            maps[number] += size * _shape(random) * random.gamma(4, 0.25, MAP_SIZE)
    return np.asarray(maps, np.float32)


def _smooth(values: NDArray[np.float64], correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate neighbours round the ring, variance kept: a filter ρ^|k| by its Fourier transform."""
    count = values.shape[-1]
    away = np.minimum(np.arange(count), count - np.arange(count))
    kernel = np.fft.rfft(correlation ** (away / 2), axis=-1)
    mixed = np.fft.irfft(np.fft.rfft(values, axis=-1) * kernel, count, axis=-1)
    return np.asarray(mixed / np.maximum(mixed.std(axis=-1, keepdims=True), 1e-9))


def _shape(random: np.random.Generator) -> NDArray[np.float64]:
    """A row, a column, a diagonal or a spot, with soft edges, round the torus: (31, 95) in 0…1."""
    rows, columns = MAP_SIZE
    row, column = int(random.integers(rows)), int(random.integers(columns))
    softness = random.uniform(0.3, 1.2)
    down = _around(np.arange(rows), row, rows)[:, None]
    over = _around(np.arange(columns), column, columns)[None]
    kind = random.choice(["row", "column", "diagonal", "spot"])
    if kind == "diagonal":  # mesh after mesh, both gears go on by one tooth
        away = _around(np.arange(rows)[:, None] - np.arange(columns)[None], row - column, rows)
        return np.exp(-((away / softness) ** 2)) * (over < random.integers(5, columns // 2))
    if kind == "row":
        return np.exp(-((down / softness) ** 2)) * (random.random((1, columns)) < random.uniform(0.3, 1))
    if kind == "column":
        return np.exp(-((over / softness) ** 2)) * (random.random((rows, 1)) < random.uniform(0.3, 1))
    reach = random.uniform(1, 4)
    return np.exp(-(down**2 + over**2) / reach**2)


def _around(places: NDArray[np.int64], centre: int, count: int) -> NDArray[np.int64]:
    """Steps from ``centre`` on a ring of ``count``, the shorter way."""
    away = np.abs(places - centre) % count
    return np.asarray(np.minimum(away, count - away), np.int64)


ONNX = "encoder.onnx"


@dataclass(frozen=True)
class PretrainingRun:
    """Where the encoder goes, and how it is made."""

    out: Path
    recipe: PretrainingRecipe
    threads: int = 1

    def to_the_end(self, progress_bar: bool = True) -> ModelCard:
        """Train, save as `transformers` reads it, export, write the card."""
        torch.set_num_threads(self.threads)
        recipe = self.recipe
        resizing = resizing_of(recipe)
        task = MaskedTask(recipe, resizing, draw_maps)
        begun = time.process_time()
        result = fit(
            task,
            recipe.training(),
            self.out / "training",
            identity=recipe.model_dump(mode="json", exclude={"steps", "seed", "rate"}),
            progress_bar=progress_bar,
        )
        encoder: Any = task.module.encoder  # untyped in `transformers`
        encoder.half().save_pretrained(self.out)  # half the size; read back as float32
        mean_std = {"image_mean": [MEAN], "image_std": [STD]}
        write_text(self.out / NORMALISATION, json.dumps(mean_std) + "\n")
        frozen = frozen_encoder(str(self.out), recipe.tokens)
        export_map_network(frozen, torch.rand(3, 1, *frozen.size), self.out / ONNX, "pictures", "features")
        card = card_of(self.out.name, recipe, result.metrics, time.process_time() - begun)
        card.save(self.out / "card.json")
        return card


def resizing_of(recipe: PretrainingRecipe) -> Resizing:
    """The drawn maps under the encoder's patches, round the torus."""
    (rows, columns), patch = recipe.tokens, recipe.patch
    size = (round(rows * patch * MAP_SIZE[0] / 32), round(columns * patch * MAP_SIZE[1] / 96))
    return Resizing(size=size, frame=(rows * patch, columns * patch))


def command_of(name: str, recipe: PretrainingRecipe) -> str:
    """The call that makes an encoder by this recipe."""
    changed = recipe.model_dump(exclude_defaults=True, exclude={"heads"})  # heads follow from the width
    return f"handshift maps pretrain --out {name}" + "".join(
        f" --{key} {value}" for key, value in changed.items()
    )


def card_of(name: str, recipe: PretrainingRecipe, figures: Any, seconds: float) -> ModelCard:
    """What a reader must know before trusting the encoder."""
    return ModelCard(
        id=name,
        summary=(
            f"A vision transformer of width {recipe.width} and {recipe.depth} blocks for health maps: the "
            "offline default of `handshift maps train`. It finds nothing by itself; a detector is trained on "
            "its features."
        ),
        trained_on=(
            f"{recipe.steps * recipe.batch:,} drawn maps of planetary gearboxes, each once, without labels: "
            f"{recipe.covered:.0%} of the patches are covered and guessed. Levels, spreads and odd rows, "
            "columns, diagonals and spots are drawn at random, wider than in any simulated data set. "
            f"Command: `{command_of(name, recipe)}`."
        ),
        calibrated_on="Nothing: thresholds come with the detector.",
        tested_on="See docs/healthmaps-results.md, beside an encoder of random weights.",
        limits="Made for tooth × tooth maps. For photographs take a DINOv2 by name or folder.",
        figures={
            "error_of_covered_patches": round(float(figures["hidden"]), 4),
            "error_of_patches_in_sight": round(float(figures["seen"]), 4),
            "processor_seconds": round(seconds),
        },
    )
