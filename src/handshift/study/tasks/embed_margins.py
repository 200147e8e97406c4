"""Word verification of unseen writers across sessions, after training with a given recipe."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field

from handshift.core.errors import StudyError
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.downscale import load_downscaled
from handshift.embedding.train.load import SHRINK, save_writers
from handshift.embedding.train.recipe import Recipe, identity_of, training_config
from handshift.embedding.train.writer_task import WriterTask
from handshift.embedding.verification import balanced_pairs, similarities
from handshift.metrics import measure
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.training import fit, load_weights

GROUP = "other session"
VERIFICATION = ("auroc", "eer", "tpr_at_5", "tpr_at_1")
_PAIRS = 20_000


def verified(
    task: WriterTask, words: WordCollection, writers: Sequence[str]
) -> tuple[dict[str, float], ScoredItems]:
    """Evaluate a trained task on balanced word pairs, the same for every seed and variant.

    Args:
        task: The trained network.
        words: Cropped words with their writers and sessions.
        writers: Held-out writers.

    Returns:
        Figures by name, and the scored pairs with the first word's writer as unit.
    """
    pairs = balanced_pairs(words, writers, count=_PAIRS, seed=2)
    rows = np.unique(pairs.rows)
    scores = similarities(task.vectors(rows), np.searchsorted(rows, pairs.rows)).astype(np.float64)
    labels = pairs.same.astype(np.int64)
    items = ScoredItems(labels, scores, np.full(labels.size, GROUP), words.writer[pairs.rows[:, 0]])
    return dict(measure(VERIFICATION, labels, scores)), items


WORDS = "HANDSHIFT_WORDS"
"""Environment variable for the folder of cropped words, where the study file names none."""


class MarginConfig(BaseModel):
    """Words, their split, and the recipe of one variant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: Path | None = Field(default=None, description=f"folder of cropped words; ${WORDS} if not given")
    split: Path
    shrink: int = Field(default=2, ge=1, description="factor by which pictures are downscaled")
    recipe: dict[str, Any] = {}

    @property
    def folder(self) -> Path:
        """The folder of cropped words.

        Raises:
            StudyError: It holds none.
        """
        folder = self.words or Path(os.environ.get(WORDS, ""))
        if not (folder / "words.csv").is_file():
            raise StudyError(
                f"words: {folder} holds no cropped words. `handshift train embed` leaves them in its folder "
                f"`words`; set {WORDS} to it"
            )
        return folder


def run(config: MarginConfig, seed: int, folder: Path) -> Outcome:
    """Train on the train writers, choose on validation, verify the test writers' words across sessions."""
    torch.set_num_threads(1)  # the study runs one training per core
    recipe = Recipe.read({**config.recipe, "seed": seed}, "recipe")
    words = load_downscaled(config.folder, config.shrink)
    parts = WriterSplit.load(config.split, known=np.unique(words.writer).tolist()).parts
    task = WriterTask(words, parts["train"], parts["validation"], recipe)
    training = training_config(recipe).model_copy(update={"tensorboard": False})
    identity = {**identity_of(recipe), SHRINK: config.shrink}  # `handshift invert` loads the training by it
    result = fit(task, training, folder / "training", identity=identity, progress_bar=False)
    save_writers(folder / "training", task.writers)
    load_weights(task.module, result.weights)
    figures, items = verified(task, words, parts["test"])
    return Outcome({GROUP: figures}, items)


def _fingerprint(config: MarginConfig) -> str:
    table = (config.folder / "words.csv").read_bytes()
    return hashlib.sha256(table + config.split.read_bytes()).hexdigest()[:16]


TASK = StudyTask(config=MarginConfig, run=run, metrics=VERIFICATION, fingerprint=_fingerprint)
