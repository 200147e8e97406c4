"""The network that a training keeps, without its data: the average of weights where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import torch

from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.backbones.network import Network
from handshift.embedding.train.recipe import Recipe
from handshift.training.checkpoint import BEST, BEST_WEIGHTS
from handshift.training.run_identity import FILE
from handshift.training.tensors import CheckpointError, load_tensors


@dataclass(frozen=True)
class KeptNetwork:
    """The best weights of a training so far."""

    network: Network
    """In evaluation mode."""
    recipe: Recipe
    step: int
    figures: dict[str, float]
    """On the validation writers."""


def kept_network(folder: Path) -> KeptNetwork:
    """Open the best weights of a training, which may still be running.

    Args:
        folder: What `handshift train embed --out FOLDER` writes to.

    Returns:
        The network with its recipe and validation figures.

    Raises:
        HandshiftError: There is no training, or it was not evaluated yet.
        CheckpointError: The weights do not fit the recipe beside them.
    """
    place = folder / "training"
    for name in (FILE, BEST, BEST_WEIGHTS):
        if not (place / name).is_file():
            raise HandshiftError(
                f"{place}: no {name}; the training has not been evaluated yet, or is elsewhere"
            )
    identity = read_json_object(place / FILE, "the record of a training")
    recipe = Recipe.read(
        {name: identity[name] for name in Recipe.model_fields if name in identity}, str(place)
    )
    best = read_json_object(place / BEST, "the record of the best weights")
    with torch.random.fork_rng(devices=[]):
        network = make_backbone(
            recipe.backbone,
            recipe.dimensions,
            widths=recipe.widths,
            hidden=recipe.hidden,
            size=recipe.size,
            from_scratch=True,
        )
    prefix = "average." if recipe.average else "network."
    weights = load_tensors(place / BEST_WEIGHTS)
    own = {name.removeprefix(prefix): value for name, value in weights.items() if name.startswith(prefix)}
    try:
        network.load_state_dict(own)
    except RuntimeError as error:
        raise CheckpointError(f"{place}: the weights do not fit {FILE} beside them") from error
    return KeptNetwork(network.eval(), recipe, int(best["step"]), dict(best["metrics"]))
