"""Label cleaning by sub-center ArcFace (Deng et al. 2020): train with K centres, drop, train again.

`clean_corpus` is `handshift clean` as a library call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import split_of
from handshift.embedding.cleaning.angles import FILE, Angles, centre_angles
from handshift.embedding.cleaning.cleaning_report import KEPT, write_findings
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.crop_cache import cached_words, contents_of
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.load import save_writers
from handshift.embedding.train.objective import ClassObjective
from handshift.embedding.train.recipe import Accelerator, Recipe, identity_of, training_config
from handshift.embedding.train.train_embedding import (
    NETWORK,
    TrainedEmbedding,
    check_settings,
    parts_of,
    split_identity,
)
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import TrainingResult, fit, load_weights

CENTRES = 3
Centre = Literal["mean", "learnt"]
"""Of a writer: the mean of the dominant sub-center's pictures, or its learnt weight."""
NOBODY = ""
"""Writer of a dropped picture: no split contains the empty name."""


def first_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe of the first training: the sub-center head, with K centres.

    Raises:
        HandshiftError: The recipe's loss has no class centres.
    """
    if recipe.loss != "margin":
        raise HandshiftError(
            f"cleaning needs class centres, and the loss {recipe.loss!r} has none; leave --loss out"
        )
    return recipe.model_copy(update={"head": "sub-center", "centres": recipe.centres or CENTRES})


def second_recipe(recipe: Recipe) -> Recipe:
    """Return the recipe of the second training: its own head, with `centres` only where it has several."""
    return recipe if recipe.head == "sub-center" else recipe.model_copy(update={"centres": None})


@dataclass(frozen=True)
class CleaningRounds:
    """The two trainings of a cleaning, on the same pictures, writers and recipe."""

    words: WordCollection
    train: Sequence[str]
    held_out: Sequence[str]
    recipe: Recipe
    identity: Mapping[str, Any]
    """Identifies these pictures and this split."""
    accelerator: Accelerator = "cpu"
    progress_bar: bool = True

    def first(self, folder: Path) -> tuple[WriterTask, TrainingResult]:
        """Train with K centres for each writer."""
        return self.train_round(self.words, first_recipe(self.recipe), folder, {})

    def angles(self, folder: Path) -> Angles:
        """Measure all training pictures with the first round in `folder`, which is trained if necessary."""
        task, result = self.first(folder)
        if (folder / FILE).exists():  # of this training: `fit` refuses the folder for another
            return Angles.load(folder)
        load_weights(task.module, result.weights)
        names = np.array(self.present(self.words))
        rows = np.sort(self.words.rows_of(names))
        labels = np.searchsorted(names, self.words.writer[rows], sorter=(order := np.argsort(names)))
        vectors = _vectors(task, rows, self.progress_bar)
        assert isinstance(task.objective, ClassObjective)
        centres = task.objective.head.directions()[: len(names)].cpu().numpy()  # before the pseudo-writers
        found = centre_angles(vectors, order[labels], centres)
        near = (names[found.nearest], found.nearest_angle, found.learnt_angle)
        Angles(rows, found.angle, *near).save(folder, self.words)
        return Angles.load(folder)  # rounded, as every later call reads it

    def second(self, folder: Path, dropped: NDArray[np.int64]) -> tuple[WriterTask, TrainingResult]:
        """Train with the recipe's own head without the dropped rows."""
        writer = self.words.writer.copy()
        writer[dropped] = NOBODY
        digest = hashlib.sha256(np.sort(dropped).astype("<i8").tobytes()).hexdigest()[:16]
        words = replace(self.words, writer=writer)
        return self.train_round(words, second_recipe(self.recipe), folder, {"dropped": digest})

    def train_round(
        self, words: WordCollection, recipe: Recipe, folder: Path, identity: Mapping[str, Any]
    ) -> tuple[WriterTask, TrainingResult]:
        """Run or resume one training; the task holds its last weights."""
        task = WriterTask(words, self.train, self.held_out, recipe)
        config = training_config(recipe, self.accelerator)
        known = {**identity_of(recipe), **self.identity, **identity}
        result = fit(task, config, folder, identity=known, progress_bar=self.progress_bar)
        save_writers(folder, self.present(words))
        return task, result

    def present(self, words: WordCollection) -> list[str]:
        """Training writers that have pictures, in the order of their classes."""
        there = set(np.unique(words.writer))
        return [name for name in self.train if name in there]


def _vectors(task: WriterTask, rows: NDArray[np.int64], progress_bar: bool) -> NDArray[np.float32]:
    starts = range(0, rows.size, 4096)
    steps = track(starts, "embedding every picture", disable=not progress_bar)
    return np.concatenate([task.vectors(rows[start : start + 4096]) for start in steps])


@dataclass(frozen=True)
class CleanedCorpus:
    """What a cleaning found and trained."""

    summary: str
    """How many pictures were dropped, and the files that list them."""
    manifest: Path
    """Manifest of the files left."""
    dropped: NDArray[np.int64]
    """Rows of the collection that were dropped."""
    retrained: TrainedEmbedding | None = None

    def __str__(self) -> str:
        kept = f"{self.manifest}: a manifest of the files left; copy it into the corpus's folder to use it"
        return "\n".join([self.summary, kept, *([str(self.retrained)] if self.retrained else [])])


def clean_corpus(
    data: Path,
    out: Path,
    recipe: Recipe | None = None,
    *,
    split: Path | None = None,
    cut: str | None = None,
    angle: float = 75.0,
    by: str = "mean",
    retrain: bool = True,
    accelerator: str = "cpu",
    threads: int = 2,
) -> CleanedCorpus:
    """Find mislabelled pictures of the split's train writers and train again without them.

    Args:
        data: Corpus folder or manifest.
        out: Folder for the findings and both trainings.
        recipe: Of both trainings; the first uses the sub-center head whatever the recipe's head.
        split: Writer split; one is made and kept in OUT/split.json if None.
        cut: What a file holds: page, word or picture; if None, word for the source's layout, else page.
        angle: Pictures further than this from their writer's dominant centre are dropped, in degrees.
        by: The centre to measure from: the mean of the dominant centre's pictures, or the learnt weight as
            in the paper.
        retrain: Train again on what is left.
        accelerator: cpu, cuda or mps.
        threads: Processor threads.

    Returns:
        The findings, and the second training if there was one.

    Raises:
        HandshiftError: An argument or the recipe is wrong, or the corpus and the split do not suffice.
    """
    recipe = recipe or Recipe()
    for trained in (first_recipe(recipe), second_recipe(recipe)):
        check_settings(trained, cut, accelerator)
    if by not in get_args(Centre):
        raise HandshiftError(f"--by {by}: choose {' or '.join(get_args(Centre))}")
    torch.set_num_threads(threads)
    corpus = read_corpus(data)
    parts = split_of(corpus, split, out / "split.json", recipe.seed)
    train, held_out = parts_of(parts, split)
    contents = contents_of(corpus, out / "words", cut)
    words = cached_words(corpus, out / "words", contents, workers=threads)
    identity = {"split": split_identity(parts), "cut": contents.value}
    rounds = CleaningRounds(words, train, held_out, recipe, identity, cast(Accelerator, accelerator))
    angles = rounds.angles(out / "first")
    if by == "learnt":
        angles = angles.by_learnt_centre()
    summary = write_findings(out, corpus, words, angles, angle)
    dropped = angles.rows[angles.beyond(angle)]
    retrained = _retrain(rounds, out, dropped) if retrain else None
    return CleanedCorpus(summary, out / KEPT, dropped, retrained)


def _retrain(rounds: CleaningRounds, out: Path, dropped: NDArray[np.int64]) -> TrainedEmbedding:
    task, result = rounds.second(out / "training", dropped)
    load_weights(task.module, result.weights)
    export_embedder(task.network, out / NETWORK)
    return TrainedEmbedding(out / NETWORK, result.best_step, dict(result.best_metrics))
