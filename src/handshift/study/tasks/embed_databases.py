"""What each family of databases is worth: networks trained with and without it, examined on all of them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from pydantic import BaseModel, ConfigDict, Field

from handshift.core.errors import StudyError
from handshift.corpus.databases.layouts import layout_named
from handshift.corpus.databases.reading import read_database
from handshift.corpus.databases.splits import load_split
from handshift.embedding.crops.record_collection import load_records
from handshift.embedding.train.databases_examination import HeldOut
from handshift.embedding.train.databases_run import DatabasesRun
from handshift.embedding.train.held_out import network_vectors
from handshift.embedding.train.recipe import Recipe, identity_of, training_config
from handshift.metrics import measure
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.study.tasks.embed_margins import VERIFICATION
from handshift.training import fit, load_weights

DATA, WORDS = "HANDSHIFT_DATABASES", "HANDSHIFT_DATABASE_WORDS"
"""Where the databases and their cut words lie: they are too large to move about."""
_STRANGERS = 20_000


class DatabasesConfig(BaseModel):
    """Databases, their splits, what is left out, and the recipe."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: Path | None = Field(default=None, description=f"folder of the databases; ${DATA} if not given")
    words: Path | None = Field(default=None, description=f"their cut words; ${WORDS} if not given")
    splits: Path
    without: tuple[str, ...] = Field(default=(), description="families of databases, or databases, left out")
    part: Literal["validation", "test"] = "test"
    recipe: dict[str, Any]

    def folder(self, given: Path | None, variable: str) -> Path:
        """The folder given, or that of the environment."""
        folder = given or Path(os.environ.get(variable, ""))
        if not folder.is_dir() or folder == Path():
            raise StudyError(f"{folder}: no such folder; set {variable} (see docs/databases.md)")
        return folder


def trained_on(databases: Mapping[str, float], without: tuple[str, ...]) -> dict[str, float]:
    """The databases that are neither left out nor of a family that is.

    Args:
        databases: Names and weights.
        without: Names of families or databases.

    Returns:
        What remains, neither trained nor validated on what was left out.

    Raises:
        StudyError: Something is left out that is not there.
    """
    families = {name: {name, layout_named(name).family} for name in databases}
    if unknown := [name for name in without if not any(name in own for own in families.values())]:
        raise StudyError(f"without: {unknown[0]!r} is neither a database of the recipe nor a family")
    return {name: weight for name, weight in databases.items() if not families[name] & set(without)}


def run(config: DatabasesConfig, seed: int, folder: Path) -> Outcome:
    """Train on what is not left out, choose on its validation writers, verify held-out writers of all."""
    torch.set_num_threads(1)  # the study runs one training per core
    whole = Recipe.read({**config.recipe, "seed": seed}, "recipe")
    recipe = whole.model_copy(update={"databases": trained_on(whole.databases, config.without)})
    data, words = config.folder(config.data, DATA), config.folder(config.words, WORDS)
    task, writers = DatabasesRun(data, words, config.splits, folder, recipe).task()
    training = training_config(recipe).model_copy(update={"tensorboard": False})
    identity = {**identity_of(recipe), "writers": writers}
    result = fit(task, training, folder / "training", identity=identity, progress_bar=False)
    load_weights(task.module, result.weights)
    figures: dict[str, Mapping[str, float]] = {}
    labels, scores, groups, units = [], [], [], []
    for name in whole.databases:
        database = read_database(data, name)
        part = load_split(database, config.splits).parts[config.part]
        held_out = HeldOut.of(load_records(database, words / name), part)
        one, two, same = _thinned(*held_out.pairs())
        vectors = network_vectors(task.kept, held_out.crops)
        cosines = np.einsum("pd,pd->p", vectors[one], vectors[two]).astype(np.float64)
        figures[name] = dict(measure(VERIFICATION, same.astype(np.int64), cosines))
        labels.append(same.astype(np.int64))
        scores.append(cosines)
        groups.append(np.full(same.size, name))
        units.append(held_out.writer[one])
    items = ScoredItems(*map(np.concatenate, (labels, scores, groups, units)))  # type: ignore[arg-type]
    return Outcome(figures, items)


def _thinned(one: Any, two: Any, same: Any) -> tuple[Any, Any, Any]:
    """All pairs by one writer, and as many by two as an interval needs."""
    rng = np.random.default_rng(2)
    strangers = np.flatnonzero(~same)
    few = rng.choice(strangers, min(strangers.size, _STRANGERS), replace=False)
    at = np.concatenate([np.flatnonzero(same), few])
    return one[at], two[at], same[at]


def _fingerprint(config: DatabasesConfig) -> str:
    digest = hashlib.sha256()
    words = config.folder(config.words, WORDS)
    for name in sorted(config.recipe.get("databases", {})):
        digest.update((words / name / "words.csv").read_bytes())
        digest.update((config.splits / f"{name}.json").read_bytes())
    return digest.hexdigest()[:16]


TASK = StudyTask(config=DatabasesConfig, run=run, metrics=VERIFICATION, fingerprint=_fingerprint)
