"""A model's card, written from what its making left behind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handshift.core.loaders import read_json, read_json_object
from handshift.core.model_card import ModelCard
from handshift.corpus.split import WriterSplit

_RECIPE = Path("training", "training.json")
"""Record of the training that `handshift train embed` writes beside the network."""
_WRITERS, _SPLIT = Path("training", "writers.json"), "split.json"
"""Where a training names its writers: the classes of the network, or the split made for it."""
_JOINED = "joined.json"
"""Record of the joined networks that `handshift train join` writes."""


@dataclass(frozen=True, slots=True)
class CalibratedParts:
    """What a calibration fitted, for the card."""

    pages: bool
    """Whether the model can examine pages."""
    pairs: bool
    """Whether it can compare and identify."""
    spliced: bool
    """Whether one-hand pages of two sessions were among the calibration pages."""
    detectors: Sequence[str] = ()
    """Trained networks in the combination."""
    reads: str = "page"
    """What a file of the calibration corpus held: page, word or picture."""
    documents: int | None = None
    """Documents put together for each size, where the model examines pages."""


def card_of(
    model: str, network: Path, corpus: str, writers: WriterSplit, parts: CalibratedParts
) -> ModelCard:
    """Describe a model made of this network and the calibration writers of this split, without its figures.

    Args:
        model: id of the model.
        network: the word network; its training's record lies beside it.
        corpus: name of the corpus calibrated on.
        writers: the split calibrated with.
        parts: what was fitted.
    """
    return ModelCard(
        id=model,
        summary=f"A network of {network.stat().st_size / 1e6:.1f} MB that maps a word image to a vector"
        f"{_abilities(parts)}",
        trained_on=f"{_training_writers(network.parent, writers, corpus)}: {_making(network.parent)}.",
        calibrated_on=_calibrated_on(writers, parts),
        tested_on="Not tested: `handshift validate` measures it on other writers.",
        limits=f"Not validated for casework. {_held_for(parts)}",
        reads=parts.reads,
    )


def _held_for(parts: CalibratedParts) -> str:
    if parts.pages and parts.reads == "word":
        return (
            "Holds for documents that come as pictures of single words, in the script and pens of its "
            "calibration writers; scanned pages are read at another scale."
        )
    return "Holds for the script, pens and scans of its calibration writers."


def _abilities(parts: CalibratedParts) -> str:
    compares = "compares two sets of words and identifies writers by PLDA"
    if not parts.pages:
        return f"; it {compares}, and cannot examine pages."
    examined = "page" if parts.reads == "page" else "document of word pictures"
    names = _listed(["partition ratio", "leave-one-out evidence", *parts.detectors])
    rest = f" It {compares}." if parts.pairs else " It cannot compare or identify."
    return (
        f", and a calibrated combination of {names} that scores a {examined}. PLDA has three levels: writer, "
        f"session, word. The score depends on the order of words and is invariant under reversal.{rest}"
    )


def _training_writers(folder: Path, writers: WriterSplit, corpus: str) -> str:
    """The writers that the network was trained on, as its own training recorded them."""
    if (folder / _WRITERS).is_file():
        names = read_json(folder / _WRITERS)
        return f"{_writers(len(names))} as its training recorded them"
    if (folder / _RECIPE).is_file() and (folder / _SPLIT).is_file():
        own = WriterSplit.load(folder / _SPLIT)
        return f"{_writers(len(own.parts.get('train', ())))} of {own.corpus}, the train part of its own split"
    count = len(writers.parts.get("train", ()))
    return f"{_writers(count)} of {corpus} if it was trained on the train part of this split"


def _calibrated_on(writers: WriterSplit, parts: CalibratedParts) -> str:
    part = writers.calibration_part
    chosen = "" if part == "calibration" else ", which also chose the network's checkpoint (validation part)"
    pages = "; half the one-hand pages are spliced from two sessions" if parts.pages and parts.spliced else ""
    drawn = f", {parts.documents:,} documents of each size" if parts.pages and parts.documents else ""
    return (
        f"{_writers(len(writers.parts[part]))} not trained on{chosen}: PLDA on all of them, weights and "
        f"calibration on held-out folds of them{drawn}{pages}."
    )


def _writers(count: int) -> str:
    return f"{count} writer{'s' * (count != 1)}"


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
    settings = " ".join(f"{name}={size:g}" for name, size in sizes.items() if size is not None)
    length = f"{recipe['steps']:,} steps" if recipe.get("steps") else f"{recipe.get('epochs')} epochs"
    begun = (
        f", begun with the weights {recipe['start'][:12]} of an earlier training"
        if recipe.get("start")
        else ""
    )
    return f"{recipe.get('backbone')}, {loss} {settings}, {length} of {recipe.get('batch')} words{begun}"
