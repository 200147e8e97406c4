"""A model's card, written from what its making left behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from handshift.core.loaders import read_json_object
from handshift.core.model_card import ModelCard
from handshift.corpus.manifest import Corpus
from handshift.corpus.split import WriterSplit

_RECIPE = Path("training", "training.json")
"""Where `handshift train embed` tells how it trained, beside the network."""
_JOINED = "joined.json"
"""Where `handshift train join` tells what it joined."""


def card_of(
    model: str, network: Path, corpus: Corpus, split: Path, detectors: Sequence[str] = ()
) -> ModelCard:
    """Describe a model made of this network and the calibration part of this split; not yet its figures."""
    parts = WriterSplit.load(split, known=corpus.writers).parts
    megabytes = network.stat().st_size / 1e6
    return ModelCard(
        id=model,
        summary=(
            f"A network of {megabytes:.1f} MB that turns a word picture into numbers, and a calibrated "
            f"combination of {_listed(['partition ratio', 'leave-one-out evidence', *detectors])} that "
            "scores the page. Their covariances have three levels: writer, session, word. The order of the "
            "words matters, reading backwards does not."
        ),
        trained_on=(
            f"{len(parts['train'])} writers of {corpus.name}, the train part of {split.name}: "
            f"{_making(network.parent)}."
        ),
        calibrated_on=(
            f"{len(parts['calibration'])} other writers: covariances on all of them, weights and calibration "
            "on writers left out fold by fold; half the one-hand pages are spliced from two sessions."
        ),
        tested_on=f"{len(parts.get('test', ()))} other writers, once; see results/.",
        limits=(
            "Not validated for casework. Holds for the script, pens and scans of its calibration writers."
        ),
    )


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _making(folder: Path) -> str:
    """One clause on how the network in this folder came about, as far as it is known."""
    if (folder / _RECIPE).is_file():
        return _training(read_json_object(folder / _RECIPE, "a recipe"))
    if (folder / _JOINED).is_file():
        joined = read_json_object(folder / _JOINED, "the record of joined networks")
        members = "; ".join(
            _training(member["recipe"]) if member["recipe"] else member["network"]
            for member in joined["members"]
        )
        return (
            f"{len(joined['members'])} networks joined ({members}), turned by a discriminant of "
            f"the train writers into {joined['dimensions']} dimensions"
        )
    return "how is not known, the training's folder is not beside the network"


def _training(recipe: dict[str, Any]) -> str:
    """One clause on a recipe."""
    loss = recipe.get("margin") if recipe.get("loss", "margin") == "margin" else recipe.get("loss")
    sizes = {"s": recipe.get("scale"), "m": recipe.get("margin_size")}
    told = " ".join(f"{name}={size:g}" for name, size in sizes.items() if size is not None)
    length = f"{recipe['steps']:,} steps" if recipe.get("steps") else f"{recipe.get('epochs')} epochs"
    begun = (
        f", begun with the weights {recipe['start'][:12]} of an earlier training"
        if recipe.get("start")
        else ""
    )
    return f"{recipe.get('backbone')}, {loss} {told}, {length} of {recipe.get('batch')} words{begun}"
