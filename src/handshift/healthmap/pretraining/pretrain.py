"""Pretraining of an encoder on random synthetic maps, its export and its model card."""

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
from handshift.healthmap.encoder import NORMALISATION, load_frozen_encoder
from handshift.healthmap.export_encoder import export_map_network
from handshift.healthmap.health_map import Floats
from handshift.healthmap.pretraining.masked_image_modelling import MEAN, STD, MaskedTask, PretrainingRecipe
from handshift.healthmap.resizing import Resizing
from handshift.training import fit

MAP_SIZE = (31, 95)
ANOMALOUS_SHARE = 0.6
"""Share of maps with anomalous shapes; they are not labelled."""


def draw_maps(random: np.random.Generator, count: int) -> Floats:
    """Draw random maps with wider parameters than any data set; most values lie between 0.1 and 0.5.

    ln X = ln μ + σ_c·b_j + σ_r·a_i + σ_p·ε with μ and all σ drawn for each map and b smooth around the ring;
    up to three shapes are added to some maps.

    Args:
        random: Source of randomness.
        count: Number of maps.

    Returns:
        float32 (count, 31, 95).
    """
    rows, columns = MAP_SIZE
    level = random.uniform(0.12, 0.4, (count, 1, 1))
    across, along, grain = random.uniform(0.02, [[0.25], [0.25], [0.3]], (3, count))[:, :, None, None]
    by_column = _smooth(random.normal(size=(count, 1, columns)), random.uniform(0, 0.9, (count, 1, 1)))
    by_row = random.normal(size=(count, rows, 1))
    noise = random.normal(size=(count, rows, columns))
    maps = level * np.exp(across * by_column + along * by_row + grain * noise)
    for number in np.flatnonzero(random.random(count) < ANOMALOUS_SHARE):
        for _ in range(random.integers(1, 4)):
            size = level[number, 0, 0] * np.exp(random.uniform(np.log(0.2), np.log(4)))
            maps[number] += size * _shape(random) * random.gamma(4, 0.25, MAP_SIZE)
    return np.asarray(maps, np.float32)


def _smooth(values: NDArray[np.float64], correlation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Circular filter ρ^|k| along the last axis, normalised to unit variance."""
    count = values.shape[-1]
    lag = np.minimum(np.arange(count), count - np.arange(count))
    kernel = np.fft.rfft(correlation ** (lag / 2), axis=-1)
    mixed = np.fft.irfft(np.fft.rfft(values, axis=-1) * kernel, count, axis=-1)
    return np.asarray(mixed / np.maximum(mixed.std(axis=-1, keepdims=True), 1e-9))


def _shape(random: np.random.Generator) -> NDArray[np.float64]:
    """A row, a column, a diagonal or a spot with soft edges on the torus: (31, 95) in 0…1."""
    rows, columns = MAP_SIZE
    row, column = int(random.integers(rows)), int(random.integers(columns))
    softness = random.uniform(0.3, 1.2)
    down = _circular_distance(np.arange(rows), row, rows)[:, None]
    over = _circular_distance(np.arange(columns), column, columns)[None]
    kind = random.choice(["row", "column", "diagonal", "spot"])
    if kind == "diagonal":  # with each mesh cycle both gears advance by one tooth
        distance = _circular_distance(np.arange(rows)[:, None] - np.arange(columns)[None], row - column, rows)
        return np.exp(-((distance / softness) ** 2)) * (over < random.integers(5, columns // 2))
    if kind == "row":
        return np.exp(-((down / softness) ** 2)) * (random.random((1, columns)) < random.uniform(0.3, 1))
    if kind == "column":
        return np.exp(-((over / softness) ** 2)) * (random.random((rows, 1)) < random.uniform(0.3, 1))
    reach = random.uniform(1, 4)
    return np.exp(-(down**2 + over**2) / reach**2)


def _circular_distance(places: NDArray[np.int64], centre: int, count: int) -> NDArray[np.int64]:
    """Shortest distance from ``centre`` on a circle of ``count`` places."""
    distance = np.abs(places - centre) % count
    return np.asarray(np.minimum(distance, count - distance), np.int64)


ONNX = "encoder.onnx"


@dataclass(frozen=True)
class EncoderPretraining:
    """Settings of one pretraining run.

    Attributes:
        out: Folder for the encoder; its name is the encoder's.
        recipe: Encoder and training.
        threads: Threads of torch.
    """

    out: Path
    recipe: PretrainingRecipe
    threads: int = 1

    def run(self, progress_bar: bool = True) -> ModelCard:
        """Train, save for `transformers`, export to ONNX and write the model card.

        Args:
            progress_bar: Whether to show progress.

        Returns:
            The model card.
        """
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
        frozen = load_frozen_encoder(str(self.out), recipe.tokens)
        export_map_network(frozen, torch.rand(3, 1, *frozen.size), self.out / ONNX, "pictures", "features")
        card = card_of(self.out.name, recipe, result.metrics, time.process_time() - begun)
        card.save(self.out / "card.json")
        return card


def resizing_of(recipe: PretrainingRecipe) -> Resizing:
    """Circular resizing of 31×95 maps to the encoder's patches."""
    (rows, columns), patch = recipe.tokens, recipe.patch
    size = (round(rows * patch * MAP_SIZE[0] / 32), round(columns * patch * MAP_SIZE[1] / 96))
    return Resizing(size=size, frame=(rows * patch, columns * patch))


def command_of(name: str, recipe: PretrainingRecipe) -> str:
    """The command that trains an encoder with this recipe."""
    changed = recipe.model_dump(exclude_defaults=True, exclude={"heads"})  # heads follow from the width
    return f"handshift maps pretrain --out {name}" + "".join(
        f" --{key} {value}" for key, value in changed.items()
    )


def card_of(name: str, recipe: PretrainingRecipe, figures: Any, seconds: float) -> ModelCard:
    """Model card of the encoder.

    Args:
        name: Of the encoder.
        recipe: Encoder and training.
        figures: Errors on held-out maps, ``masked`` and ``visible``.
        seconds: Processor time.

    Returns:
        The card.
    """
    return ModelCard(
        id=name,
        summary=(
            f"A vision transformer of width {recipe.width} and {recipe.depth} blocks for health maps: the "
            "offline default of `handshift maps train`. It detects nothing by itself; a detector is trained "
            "on its features."
        ),
        trained_on=(
            f"{recipe.steps * recipe.batch:,} synthetic maps of planetary gearboxes, each seen once, without "
            f"labels: masked image modelling with {recipe.mask_share:.0%} of the patches masked. Levels, "
            "spreads and anomalous rows, columns, diagonals and spots are drawn at random, from wider ranges "
            "than any simulated data set. "
            f"Command: `{command_of(name, recipe)}`."
        ),
        calibrated_on="Nothing: thresholds come with the detector.",
        tested_on="See docs/healthmaps-results.md, beside an encoder of random weights.",
        limits="Made for tooth × tooth maps. For photographs take a DINOv2 by name or folder.",
        figures={
            "error_of_masked_patches": round(float(figures["masked"]), 4),
            "error_of_visible_patches": round(float(figures["visible"]), 4),
            "processor_seconds": round(seconds),
        },
    )
