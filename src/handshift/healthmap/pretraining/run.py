"""From nothing to a shipped encoder: the whole of `handshift maps pretrain`."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from handshift.atomic import write_text
from handshift.healthmap.encoder.export import export_onnx
from handshift.healthmap.encoder.frozen import NORMALISATION, frozen_encoder
from handshift.healthmap.pretraining.drawing import MAP_SIZE, draw_maps
from handshift.healthmap.pretraining.masked import MEAN, STD, MaskedTask, PretrainingRecipe
from handshift.healthmap.resizing import Resizing
from handshift.models.card import ModelCard
from handshift.training import fit

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
        export_onnx(frozen, torch.rand(3, 1, *frozen.size), self.out / ONNX, "pictures", "features")
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
