"""How well a detector finds the broken tooth on simulated maps, domain by domain."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from handshift.core.folder_lock import locked
from handshift.healthmap.baselines import FITTED, ON_PIXELS
from handshift.healthmap.detectors import DINOMALY
from handshift.healthmap.dinomaly.recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.task import DinomalyTask
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.thresholds import FIGURES, MEAN, Scope, Thresholds, by_domain
from handshift.study.task import Outcome, ScoredItems, StudyTask
from handshift.study.tasks.maps_data import PATIENCE, MapFeatures, MapsData, digest, kept, prepared
from handshift.training import fit, load_weights
from handshift.training.journal import FILE as JOURNAL

Scores = NDArray[np.float64]
DETECTORS = (DINOMALY, *FITTED, *ON_PIXELS)


class MapsConfig(BaseModel):
    """Maps, detector and thresholds of one variant."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    data: MapsData = MapsData()
    detector: str = Field(default=DINOMALY, description=", ".join(DETECTORS))
    recipe: DinomalyRecipe = DinomalyRecipe()
    thresholds: Scope = "domain"
    false_alarms: float = Field(default=0.05, gt=0, lt=1, description="on normal validation maps")

    @model_validator(mode="after")
    def _known(self) -> MapsConfig:
        if self.detector not in DETECTORS:
            raise ValueError(f"`detector` {self.detector} is not known; choose {', '.join(DETECTORS)}")
        return self


def run(config: MapsConfig, seed: int, folder: Path) -> Outcome:
    """Learn from normal maps, set thresholds on other normal maps, score the test maps once."""
    torch.set_num_threads(1)  # the study runs one training per core
    data = prepared(config.data)
    scores = _scores(config, seed, data, folder)
    validation, test = data.parts["validation"], data.parts["test"]
    thresholds = Thresholds.of(
        scores["validation"], [item.domain for item in validation], config.false_alarms
    )
    figures = by_domain(test, scores["test"], thresholds, config.thresholds)
    figures.pop(MEAN, None)  # the study takes the mean itself
    domains = [item.domain for item in test]
    items = ScoredItems(
        labels=np.array([item.label for item in test], np.int64),
        scores=scores["test"],
        groups=np.array(domains, np.str_),
        units=np.array([f"{item.domain}/{item.defect}/{item.path.name}" for item in test], np.str_),
        threshold={domain: thresholds.of_domain(domain, config.thresholds) for domain in set(domains)},
    )
    return Outcome(figures, items)


def _scores(config: MapsConfig, seed: int, data: MapFeatures, folder: Path) -> dict[str, Scores]:
    held_out = ("validation", "test")
    if config.detector in ON_PIXELS:
        return {part: _by_domain(config.detector, data, part) for part in held_out}
    scoring: Scoring = config.recipe.scoring
    if config.detector == DINOMALY:
        recipe = config.recipe.model_copy(update={"seed": seed})
        task = _trained(recipe, data, folder / "training")
        scoring = scoring.model_copy(update={"weights": task.scale_weights()})
        distances = {part: task.distances(data.features[part]) for part in held_out}
    else:
        fitted = FITTED[config.detector].fit(data.features["train"], seed)
        distances = {part: fitted.measured(data.features[part]) for part in held_out}
    return {
        part: scoring.scores(scoring.anomaly_maps(values, data.grid, data.resizing))
        for part, values in distances.items()
    }


def _by_domain(detector: str, data: MapFeatures, part: str) -> Scores:
    """One detector for each domain: what is usual for a pixel is another in each."""
    learned = np.array([item.domain for item in data.parts["train"]])
    asked = np.array([item.domain for item in data.parts[part]])
    scores = np.empty(asked.size, np.float64)
    for domain in np.unique(asked):
        fitted = ON_PIXELS[detector].fit(data.maps["train"][learned == domain])
        scores[asked == domain] = fitted.scores(data.maps[part][asked == domain])
    return scores


def _trained(recipe: DinomalyRecipe, data: MapFeatures, told: Path) -> DinomalyTask:
    """Train, or take the decoder that another variant has trained on the same maps; its journal is told."""
    domains = [item.domain for item in data.parts["train"]]
    task = DinomalyTask(recipe, data.features["train"], domains, data.features["validation"])
    training = recipe.training().model_copy(update={"tensorboard": False})
    identity = {**recipe.identity(), **data.learned_from}
    name = f"decoder-{digest(json.dumps([training.identity(), identity]))}"
    with locked(kept() / f"lock-{name}", patience=PATIENCE):
        result = fit(task, training, kept() / name, identity=identity, progress_bar=False)
    load_weights(task.module, result.weights)
    told.mkdir(exist_ok=True)
    shutil.copy(kept() / name / JOURNAL, told)  # the report draws how each run went
    return task


TASK = StudyTask(
    config=MapsConfig, run=run, metrics=FIGURES, fingerprint=lambda config: config.data.fingerprint()
)
