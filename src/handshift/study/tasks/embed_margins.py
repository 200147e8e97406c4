"""How well a recipe's words tell writers apart whom it has never seen."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field

from handshift.corpus.split import WriterSplit
from handshift.embed.presets.recipe import Recipe
from handshift.embed.schedule import identity_of, training_config
from handshift.embed.shrunk import load_shrunk
from handshift.embed.trained import SHRINK, save_writers
from handshift.embed.training import WriterTask
from handshift.study.error import StudyError
from handshift.study.task import Outcome, StudyTask
from handshift.study.tasks.verifying import GROUP, VERIFICATION, verified
from handshift.training import fit, load_weights

WORDS = "HANDSHIFT_WORDS"
"""Where the cut words lie if the study file does not say: they are too large to move about."""


class MarginConfig(BaseModel):
    """Words, their split, and the recipe of one variant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: Path | None = Field(default=None, description=f"folder of cut words; ${WORDS} if not given")
    split: Path
    shrink: int = Field(default=2, ge=1, description="pictures are made smaller by this factor")
    recipe: dict[str, Any] = {}

    @property
    def folder(self) -> Path:
        """The cut words."""
        folder = self.words or Path(os.environ.get(WORDS, ""))
        if not (folder / "words.csv").is_file():
            raise StudyError(
                f"words: {folder} holds no cut words. `handshift train embed` leaves them in its folder "
                f"`words`; set {WORDS} to it"
            )
        return folder


def run(config: MarginConfig, seed: int, folder: Path) -> Outcome:
    """Train on the train writers, choose on validation, verify the test writers' words across sessions."""
    torch.set_num_threads(1)  # the study runs one training per core
    recipe = Recipe.read({**config.recipe, "seed": seed}, "recipe")
    words = load_shrunk(config.folder, config.shrink)
    parts = WriterSplit.load(config.split, known=np.unique(words.writer).tolist()).parts
    task = WriterTask(words, parts["train"], parts["validation"], recipe)
    training = training_config(recipe).model_copy(update={"tensorboard": False})
    identity = {**identity_of(recipe), SHRINK: config.shrink}  # by which `handshift invert` opens it again
    result = fit(task, training, folder / "training", identity=identity, progress_bar=False)
    save_writers(folder / "training", task.writers)
    load_weights(task.module, result.weights)
    figures, items = verified(task, words, parts["test"])
    return Outcome({GROUP: figures}, items)


def _fingerprint(config: MarginConfig) -> str:
    table = (config.folder / "words.csv").read_bytes()
    return hashlib.sha256(table + config.split.read_bytes()).hexdigest()[:16]


TASK = StudyTask(config=MarginConfig, run=run, metrics=VERIFICATION, fingerprint=_fingerprint)
