"""The two trainings of a cleaning: sub-centers on everything, then the wanted head on what is left."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from handshift.embed.cleaning.angles import FILE, Angles
from handshift.embed.cleaning.judgement import judge
from handshift.embed.collection import WordCollection
from handshift.embed.objective import ClassObjective
from handshift.embed.presets.recipe import Recipe
from handshift.embed.schedule import Accelerator, identity_of, training_config
from handshift.embed.trained import save_writers
from handshift.embed.training import WriterTask
from handshift.error import HandshiftError
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
