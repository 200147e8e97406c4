"""The two trainings of a cleaning: sub-centers on everything, then the wanted head on what is left.

From a corpus to a cleaned one and a network trained on it: the whole of `handshift clean`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from rich.progress import track

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.split import split_of
from handshift.embedding.cleaning.angles import FILE, Angles, judge
from handshift.embedding.cleaning.cleaning_report import KEPT, write_findings
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.crop_cache import words_of
from handshift.embedding.crops.file_contents import Cut
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.load import save_writers
from handshift.embedding.train.objective import ClassObjective
from handshift.embedding.train.recipe import Accelerator, Recipe, identity_of, training_config
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import TrainingResult, fit, load_weights

CENTRES = 3
NOBODY = ""
"""Whose a picture is that has been left out: training asks for writers by name, and this is nobody's."""


@dataclass(frozen=True)
class Rounds:
    """Pictures, the writers learnt from, those examined on, and how to train."""

    words: WordCollection
    train: Sequence[str]
    held_out: Sequence[str]
    recipe: Recipe
    identity: Mapping[str, Any]
    """What tells these pictures and this split from others."""
    accelerator: Accelerator = "cpu"
    progress_bar: bool = True

    def first(self, folder: Path) -> tuple[WriterTask, TrainingResult]:
        """Train with several centres for each writer."""
        if self.recipe.loss != "margin":
            raise HandshiftError(
                f"cleaning needs class centres, which the loss {self.recipe.loss!r} has not; leave --loss out"
            )
        update = {"head": "sub-center", "centres": self.recipe.centres or CENTRES}
        return self.fitted(self.words, self.recipe.model_copy(update=update), folder, {})

    def judged(self, folder: Path) -> Angles:
        """The angles by the first round in `folder`, which is trained if it has not been."""
        task, result = self.first(folder)
        if (folder / FILE).exists():  # of this training: the folder takes no other
            return Angles.load(folder)
        load_weights(task.module, result.weights)
        names = np.array(self.present(self.words))
        rows = np.sort(self.words.rows_of(names))
        labels = np.searchsorted(names, self.words.writer[rows], sorter=(order := np.argsort(names)))
        vectors = _vectors(task, rows, self.progress_bar)
        assert isinstance(task.objective, ClassObjective)
        centres = task.objective.head.directions()[: len(names)].cpu().numpy()  # kindred hands come after
        found = judge(vectors, order[labels], centres)
        near = (names[found.nearest], found.nearest_angle, found.learnt_angle)
        Angles(rows, found.angle, *near).save(folder, self.words)
        return Angles.load(folder)  # rounded as it will be the next time

    def second(self, folder: Path, dropped: NDArray[np.int64]) -> tuple[WriterTask, TrainingResult]:
        """Train with the recipe's own head without the dropped rows."""
        writer = self.words.writer.copy()
        writer[dropped] = NOBODY
        digest = hashlib.sha256(np.sort(dropped).astype("<i8").tobytes()).hexdigest()[:16]
        return self.fitted(replace(self.words, writer=writer), self.recipe, folder, {"dropped": digest})

    def fitted(
        self, words: WordCollection, recipe: Recipe, folder: Path, identity: Mapping[str, Any]
    ) -> tuple[WriterTask, TrainingResult]:
        """One training, gone on with where it stopped; the task holds its last weights."""
        task = WriterTask(words, self.train, self.held_out, recipe)
        config = training_config(recipe, self.accelerator)
        known = {**identity_of(recipe), **self.identity, **identity}
        result = fit(task, config, folder, identity=known, progress_bar=self.progress_bar)
        save_writers(folder, self.present(words))
        return task, result

    def present(self, words: WordCollection) -> list[str]:
        """Writers that have pictures at all, in the order of their classes."""
        there = set(np.unique(words.writer))
        return [name for name in self.train if name in there]


def _vectors(task: WriterTask, rows: NDArray[np.int64], progress_bar: bool) -> NDArray[np.float32]:
    starts = range(0, rows.size, 4096)
    told = track(starts, "looking at every picture", disable=not progress_bar)
    return np.concatenate([task.vectors(rows[start : start + 4096]) for start in told])


@dataclass(frozen=True)
class Cleaning:
    """What is cleaned, where the findings go, and how strictly."""

    data: Path
    out: Path
    split: Path | None
    cut: str
    recipe: Recipe
    angle: float = 75.0
    retrain: bool = True
    accelerator: str = "cpu"
    threads: int = 2

    def to_the_end(self) -> str:
        """Train with sub-centers, tell what is far from its writer, train again without it."""
        if self.cut not in list(Cut):
            raise HandshiftError(f"--cut {self.cut}: choose page, word or picture")
        if self.accelerator not in get_args(Accelerator):
            raise HandshiftError(
                f"--accelerator {self.accelerator}: choose {', '.join(get_args(Accelerator))}"
            )
        torch.set_num_threads(self.threads)
        corpus = read_corpus(self.data)
        split = split_of(corpus, self.split, self.out / "split.json", self.recipe.seed)
        for part in ("train", "validation"):
            if part not in split.parts:
                raise HandshiftError(f"{self.split}: the split has no part {part!r}; docs/data.md tells how")
        words = words_of(corpus, self.out / "words", Cut(self.cut))
        train, held_out = split.parts["train"], split.parts["validation"]
        parts = hashlib.sha256(repr([sorted(train), sorted(held_out)]).encode()).hexdigest()[:12]
        identity = {"split": f"{split.corpus}-{parts}", "cut": self.cut}
        accelerator = cast(Accelerator, self.accelerator)
        rounds = Rounds(words, train, held_out, self.recipe, identity, accelerator)
        angles = rounds.judged(self.out / "first")
        told = [write_findings(self.out, corpus, words, angles, self.angle)]
        told.append(
            f"{self.out / KEPT}: a manifest of the files left; copy it into the corpus's folder to use it"
        )
        if self.retrain:
            dropped = angles.rows[angles.beyond(self.angle)]
            told.append(self._trained_again(rounds, dropped))
        return "\n".join(told)

    def _trained_again(self, rounds: Rounds, dropped: NDArray[np.int64]) -> str:
        task, result = rounds.second(self.out / "training", dropped)
        load_weights(task.module, result.weights)
        export_embedder(task.network, self.out / "words.onnx")
        figures = ", ".join(f"{name} {value:.3f}" for name, value in result.best_metrics.items())
        return f"{self.out / 'words.onnx'}: best at step {result.best_step}: {figures} (chance AUC 0.5)"
