"""Study task: detection of faulty maps by Dinomaly, PatchCore, PaDiM, PCA and pixel statistics."""

from __future__ import annotations

import json
import shutil
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from handshift.core.folder_lock import locked
from handshift.healthmap.baselines import FEATURE_DETECTORS, PIXEL_DETECTORS
from handshift.healthmap.baselines.patchcore import PatchCoreOptions
from handshift.healthmap.detectors import DINOMALY
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.dinomaly_task import DinomalyTask
from handshift.healthmap.fit_detector import fit_feature_detector
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.thresholds import FIGURES, MEAN, Scope, Thresholds, figures_by_domain
from handshift.metrics import auroc
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.study.tasks.maps_data import (
    PATIENCE,
    MapFeatures,
    MapsData,
    cache_folder,
    digest,
    prepare,
    prepare_maps,
)
from handshift.training import fit, load_weights
from handshift.training.journal import FILE as JOURNAL

Scores = NDArray[np.float64]
TENSORBOARD = "tensorboard"
MEAN_LEVEL = "mean_level_auroc"
"""AUROC of a map's mean level alone: far from 0.5 a detector may have found the run, not the fault."""
DETECTORS = (DINOMALY, *FEATURE_DETECTORS, *PIXEL_DETECTORS)


class MapsConfig(BaseModel):
    """Maps, detector and thresholds of one variant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: MapsData = MapsData()
    detector: str = Field(default=DINOMALY, description=", ".join(DETECTORS))
    recipe: DinomalyRecipe = DinomalyRecipe()
    patchcore: PatchCoreOptions = PatchCoreOptions()
    thresholds: Scope = "domain"
    false_alarms: float = Field(default=0.05, gt=0, lt=1, description="on normal validation maps")

    @model_validator(mode="after")
    def _known(self) -> MapsConfig:
        if self.detector not in DETECTORS:
            raise ValueError(f"`detector` {self.detector} is not known; choose {', '.join(DETECTORS)}")
        return self


def run(config: MapsConfig, seed: int, folder: Path) -> Outcome:
    """Fit to normal maps, set thresholds on held-out normal maps, score the test maps once.

    Args:
        config: Maps, detector and thresholds.
        seed: Of the detector.
        folder: Of the run, for the training journal.

    Returns:
        Figures by domain and the scores of all test maps.
    """
    torch.set_num_threads(1)  # the study runs one training per core
    data = prepare_maps(config.data)
    scores = _scores(config, seed, folder)
    validation, test = data.parts["validation"], data.parts["test"]
    thresholds = Thresholds.fit(
        scores["validation"], [item.domain for item in validation], config.false_alarms
    )
    figures = figures_by_domain(test, scores["test"], thresholds, config.thresholds)
    figures.pop(MEAN, None)  # the study averages over domains itself
    levels = _by_domain("mean-level", config.data.maps_alone(), "test")
    domains = [item.domain for item in test]
    labels = np.array([item.label for item in test], np.int64)
    for domain, found in figures.items():
        own = np.array(domains) == domain
        found[MEAN_LEVEL] = auroc(labels[own], levels[own])
    items = ScoredItems(
        labels=labels,
        scores=scores["test"],
        groups=np.array(domains, np.str_),
        units=np.array([f"{item.domain}/{item.defect}/{item.path.name}" for item in test], np.str_),
        threshold={domain: thresholds.of_domain(domain, config.thresholds) for domain in set(domains)},
    )
    return Outcome(figures, items)


def _scores(config: MapsConfig, seed: int, folder: Path) -> dict[str, Scores]:
    held_out = ("validation", "test")
    if config.detector in PIXEL_DETECTORS:
        return {part: _by_domain(config.detector, config.data.maps_alone(), part) for part in held_out}
    encoded = prepare(config.data)
    scoring: Scoring = config.recipe.scoring
    if config.detector == DINOMALY:
        recipe = config.recipe.model_copy(update={"seed": seed})
        domains = [item.domain for item in prepare_maps(config.data).parts["train"]]
        task = _trained(recipe, encoded, domains, folder / "training")
        scoring = scoring.model_copy(update={"weights": task.scale_weights()})
        distances = {part: task.distances(encoded.features[part]) for part in held_out}
    else:
        patches = {part: values[:, :, encoded.prefix :] for part, values in encoded.features.items()}
        fitted = fit_feature_detector(config.detector, patches["train"], seed, config.patchcore, encoded.grid)
        distances = {part: fitted.batched_distances(patches[part]) for part in held_out}
    return {
        part: scoring.scores(scoring.anomaly_maps(values, encoded.grid, encoded.resizing))
        for part, values in distances.items()
    }


@lru_cache(maxsize=128)  # no seed makes a difference to them, and they are small
def _by_domain(detector: str, maps: MapsData, part: str) -> Scores:
    """Scores of a pixel detector fitted to each domain: the usual pixel differs between domains."""
    data = prepare_maps(maps)
    trained = np.array([item.domain for item in data.parts["train"]])
    scored = np.array([item.domain for item in data.parts[part]])
    scores = np.empty(scored.size, np.float64)
    for domain in np.unique(scored):
        fitted = PIXEL_DETECTORS[detector].fit(data.maps["train"][trained == domain])
        scores[scored == domain] = fitted.scores(data.maps[part][scored == domain])
    scores.flags.writeable = False  # every seed is given the same array
    return scores


def _trained(recipe: DinomalyRecipe, data: MapFeatures, domains: list[str], folder: Path) -> DinomalyTask:
    """Train a decoder, or load the one another variant trained on the same maps; copy its journal."""
    task = DinomalyTask(recipe, data.features["train"], domains, data.features["validation"], data.prefix)
    training = recipe.training()
    identity = {**recipe.identity(), **data.training_identity}
    name = f"decoder-{digest(json.dumps([training.identity(), identity]))}"
    with locked(cache_folder() / f"lock-{name}", patience=PATIENCE):
        result = fit(task, training, cache_folder() / name, identity=identity, progress_bar=False)
    load_weights(task.module, result.weights)
    folder.mkdir(exist_ok=True)
    shutil.copy(cache_folder() / name / JOURNAL, folder)  # the report draws the training curves
    if (cache_folder() / name / TENSORBOARD).is_dir():
        shutil.copytree(cache_folder() / name / TENSORBOARD, folder / TENSORBOARD, dirs_exist_ok=True)
    return task


TASK = StudyTask(
    config=MapsConfig,
    run=run,
    metrics=(*FIGURES, MEAN_LEVEL),
    fingerprint=lambda config: config.data.fingerprint(),
    trivial=(MEAN_LEVEL,),
)
