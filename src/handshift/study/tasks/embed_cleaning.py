"""Labels made wrong on purpose: how many sub-centers find, and what leaving them out is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field

from handshift.core.folder_lock import locked
from handshift.corpus.split import WriterSplit
from handshift.embedding.cleaning.angles import Angles
from handshift.embedding.cleaning.clean import CleaningRounds
from handshift.embedding.cleaning.label_noise import exchange_labels
from handshift.embedding.crops.downscale import load_downscaled
from handshift.embedding.train.load import SHRINK
from handshift.embedding.train.recipe import Recipe
from handshift.embedding.train.writer_task import WriterTask
from handshift.metrics import auroc
from handshift.study.task import Outcome, StudyTask
from handshift.study.tasks import embed_margins
from handshift.study.tasks.embed_margins import GROUP, VERIFICATION, verified
from handshift.training import TrainingResult, load_weights

PATIENCE = 24 * 3600.0
"""Seconds to wait for another run of the same seed to finish the first round."""


class CleaningConfig(embed_margins.MarginConfig):
    """Words, split and recipe; which of the four trainings; how many labels are wrong."""

    training: Literal["noisy", "sub-center", "cleaned", "clean"]
    flipped: float = Field(default=0.3, ge=0, lt=0.5, description="share of wrongly labelled training words")
    angle: float = Field(default=75.0, gt=0, le=180, description="degrees beyond which a word is dropped")


def run(config: CleaningConfig, seed: int, folder: Path) -> Outcome:
    """Train one of the four, verify the test writers' words; with sub-centers evaluate the drop as well."""
    torch.set_num_threads(1)  # the study runs one training per core
    recipe = Recipe.read({**config.recipe, "seed": seed}, "recipe")
    true = load_downscaled(config.folder, config.shrink)
    parts = WriterSplit.load(config.split, known=np.unique(true.writer).tolist()).parts
    noisy, wrong = exchange_labels(true, true.rows_of(parts["train"]), config.flipped, seed)
    words = true if config.training == "clean" else noisy
    identity = {
        SHRINK: config.shrink,
        "flipped": None if config.training == "clean" else config.flipped,
    }
    rounds = CleaningRounds(words, parts["train"], parts["validation"], recipe, identity, progress_bar=False)
    first, drop = folder.parent / "training" / f"first_seed{seed}", {}
    if config.training in ("sub-center", "cleaned"):
        with locked(first, PATIENCE):  # both need it; the first of them trains it
            drop = drop_figures(rounds.angles(first / "round"), wrong, config.angle)
    task, result = _trained(config, rounds, first / "round", folder / "training")
    load_weights(task.module, result.weights)
    figures, items = verified(task, true, parts["test"])
    return Outcome({GROUP: {**figures, **drop}}, items)


def _trained(
    config: CleaningConfig, rounds: CleaningRounds, first: Path, own: Path
) -> tuple[WriterTask, TrainingResult]:
    if config.training == "sub-center":
        return rounds.first(first)
    if config.training == "cleaned":
        angles = Angles.load(first)
        return rounds.second(own, angles.rows[angles.beyond(config.angle)])
    return rounds.train_round(rounds.words, rounds.recipe, own, {})


def drop_figures(angles: Angles, wrong: NDArray[np.bool_], limit: float) -> dict[str, float]:
    """Of what is dropped, how much is wrong; of what is wrong, how much is dropped; and both for chance.

    Dropping as many at random has for precision the share of wrong words, for recall the share dropped. The
    same by the learnt weights (`learnt_…`) is what the paper does.
    """
    is_wrong, dropped = wrong[angles.rows], angles.angle > limit
    by_weight = angles.learnt_angle > limit
    hits = int((is_wrong & dropped).sum())
    return {
        "drop_precision": hits / max(1, int(dropped.sum())),
        "drop_recall": hits / max(1, int(is_wrong.sum())),
        "random_precision": float(is_wrong.mean()),
        "random_recall": float(dropped.mean()),
        "noise_left": int((is_wrong & ~dropped).sum()) / max(1, int((~dropped).sum())),
        "angle_auroc": auroc(is_wrong, angles.angle),
        "learnt_precision": float(is_wrong[by_weight].mean()) if by_weight.any() else 0.0,
        "learnt_recall": float(by_weight[is_wrong].mean()) if is_wrong.any() else 0.0,
        "learnt_dropped": float(by_weight.mean()),
    }


def _fingerprint(config: Any) -> str:
    return embed_margins.TASK.fingerprint(config)


TASK = StudyTask(
    config=CleaningConfig,
    run=run,
    metrics=(
        *VERIFICATION,
        "drop_precision",
        "drop_recall",
        "random_precision",
        "random_recall",
        "noise_left",
        "angle_auroc",
        "learnt_precision",
        "learnt_recall",
        "learnt_dropped",
    ),
    fingerprint=_fingerprint,
    lower_is_better=("eer", "noise_left"),
)
