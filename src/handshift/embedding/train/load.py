"""Loads a finished training: network, class centres, recipe and class names."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json, read_json_object
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.backbones.network import Network
from handshift.embedding.train.heads import Head
from handshift.embedding.train.objective import ClassObjective, make_objective
from handshift.embedding.train.pseudo_writers import PSEUDO_WRITERS
from handshift.embedding.train.recipe import Recipe
from handshift.training.checkpoint import BEST_WEIGHTS, last_weights
from handshift.training.run_identity import FILE
from handshift.training.tensors import CheckpointError, load_tensors

SHRINK = "shrink"
"""Key, in a training's identity, of the factor by which its pictures were downscaled."""
WRITERS = "writers.json"
_CENTRES = "objective.head.centres"


@dataclass(frozen=True)
class TrainedNetwork:
    """A training at its best checkpoint, in evaluation mode."""

    network: Network
    head: Head | None
    """None for a pair loss, which has no class centres."""
    recipe: Recipe
    writers: tuple[str, ...]
    """Names of the classes in order, without pseudo-writers; class numbers where no split gives names."""
    shrink: int

    @property
    def canvas(self) -> tuple[int, int]:
        """Height and width of the pictures it was trained on."""
        return HEIGHT // self.shrink, self.recipe.window or WIDTH // self.shrink

    def class_of(self, writer: str) -> int:
        """Return the class number of a writer, given by its exact label.

        Raises:
            HandshiftError: No class has that label.
        """
        if writer in self.writers:
            return self.writers.index(writer)
        known = ", ".join(self.writers[:8]) + (", …" if len(self.writers) > 8 else "")
        raise HandshiftError(
            f"the model has no writer {writer!r}: it has {len(self.writers)} ({known}); give one of them"
        )


def load_training(folder: Path, split: Path | None = None) -> TrainedNetwork:
    """Load what `handshift train embed --out FOLDER` wrote, or its subfolder `training`.

    Args:
        folder: The output folder.
        split: Gives the class names; otherwise writers.json or split.json in the folder does, or the names
            are the class numbers.

    Returns:
        The network at its best checkpoint.

    Raises:
        HandshiftError: The folder holds no training, or the split is not the one trained with.
        CheckpointError: The weights do not fit the recipe.
    """
    place = folder / "training" if (folder / "training" / FILE).is_file() else folder
    if not (place / FILE).is_file():
        raise HandshiftError(f"{folder}: no training; give the folder that `handshift train embed` wrote to")
    identity = read_json_object(place / FILE, "the record of a training")
    values = {name: identity[name] for name in Recipe.model_fields if name in identity}
    recipe = Recipe.read(values, str(place))
    weights = _weights(place)
    classes = weights[_CENTRES].shape[-2] if _CENTRES in weights else 0
    network, objective = _built(recipe, classes)
    try:
        nn.ModuleDict({"network": network, "objective": objective}).load_state_dict(weights)
    except RuntimeError as error:
        raise CheckpointError(f"{place}: the weights do not fit {FILE} beside them") from error
    head = objective.head if isinstance(objective, ClassObjective) else None
    writers = classes // len(PSEUDO_WRITERS) if recipe.kindred else classes
    names = _names(folder, place, split, writers)
    return TrainedNetwork(network.eval(), head and head.eval(), recipe, names, int(identity.get(SHRINK, 1)))


def _weights(place: Path) -> dict[str, Tensor]:
    path = place / BEST_WEIGHTS
    path = path if path.exists() else last_weights(place) or path
    return load_tensors(path)


def _built(recipe: Recipe, classes: int) -> tuple[Network, nn.Module]:
    """Network and objective with random weights, which the checkpoint replaces."""
    sizes: dict[str, Any] = {"widths": recipe.widths, "hidden": recipe.hidden, "size": recipe.size}
    with torch.random.fork_rng(devices=[]):
        network = make_backbone(recipe.backbone, recipe.dimensions, **sizes, from_scratch=True)
        return network, make_objective(recipe, classes, recipe.dimensions)


def save_writers(folder: Path, names: Sequence[str]) -> None:
    """Write the class names in order into a training's folder."""
    write_text(folder / WRITERS, json.dumps(list(names), ensure_ascii=False))


def _names(folder: Path, place: Path, split: Path | None, count: int) -> tuple[str, ...]:
    own = folder / "split.json"
    if split is None and (place / WRITERS).exists():
        path = place / WRITERS
        names = tuple(map(str, read_json(path, "a list of writers")))
    elif split is not None or own.exists():
        path = split or own
        names = _with_words(WriterSplit.load(path).parts.get("train", ()), folder / "words" / "words.csv")
    else:
        return tuple(map(str, range(count)))
    if count and len(names) != count:
        raise HandshiftError(
            f"{path}: {len(names)} writers to train on, and the model in {folder} has {count}; "
            "give the split it was trained with"
        )
    return names[:count]


def _with_words(names: Sequence[str], table: Path) -> tuple[str, ...]:
    """Drop writers without a legible word, who are no class; keep all where there is no table."""
    if not table.exists():
        return tuple(names)
    with table.open(encoding="utf-8", newline="") as lines:
        seen = {row["writer"] for row in csv.DictReader(lines)}
    return tuple(name for name in names if name in seen)
