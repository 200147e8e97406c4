"""Detectors by name, fitted or trained on vectors of labelled writers, for the studies of detectors."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from handshift.bag.pages import PageRows, pages_of
from handshift.calibration.calibrate_pages import fit_combination
from handshift.calibration.calibration_data import CalibrationData, plda_of
from handshift.core.errors import StudyError
from handshift.core.folder_lock import locked
from handshift.corpus.split import WriterSplit
from handshift.detect.baselines import BASELINES
from handshift.detect.combination import FILE, Combination, parts_of
from handshift.detect.detector import Detector
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.train.recipe import DetectRecipe
from handshift.detect.train.train_detector import DetectRun
from handshift.embedding.word_vectors import WordVectors
from handshift.study.provenance import package_hash

VECTORS = "HANDSHIFT_VECTORS"
"""Environment variable for the folder of word vectors, where the study file names none."""
DEFAULT = "default"
NETWORKS = ("evidence-net", "relation-net")
"""The trained parts of the default."""


class DetectorConfig(BaseModel):
    """One detector, and the vectors and split it is fitted and evaluated on."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vectors: Path | None = Field(default=None, description=f"folder of word vectors; ${VECTORS} if not given")
    split: Path
    part: str = Field(default="test", description="writers who are evaluated")
    detector: str = Field(
        default=DEFAULT, description="default, partition, leave-one-out, a baseline or a trained model"
    )
    recipe: dict[str, Any] = Field(default={}, description="of the trained models")
    recipes: dict[str, dict[str, Any]] = Field(default={}, description="of some, where it differs")
    trained: Path = Field(default=Path("runs/detectors"), description="cache of trained detectors")

    @property
    def folder(self) -> Path:
        """The folder of word vectors.

        Raises:
            StudyError: It holds none.
        """
        folder = self.vectors or Path(os.environ.get(VECTORS, ""))
        if not (folder / "vectors.npy").is_file():
            raise StudyError(
                f"vectors: {folder} holds no word vectors. `handshift train detect --words … --network …` "
                f"leaves them in its folder `vectors`; set {VECTORS} to it"
            )
        return folder

    def recipe_of(self, model: str, seed: int) -> DetectRecipe:
        """Return the recipe that this model is trained with."""
        own = self.recipes.get(model, {})
        return DetectRecipe.of({**self.recipe, **own, "model": model, "seed": seed})

    def fingerprint(self) -> str:
        """Return a fingerprint of vectors and split."""
        split = hashlib.sha256(self.split.read_bytes()).hexdigest()[:8]
        return f"{table_of(self.folder).fingerprint}-{split}"


@lru_cache(maxsize=1)  # a worker runs many detectors on the same words
def table_of(folder: Path) -> WordVectors:
    """Load the vectors once per process."""
    return WordVectors.load(folder)


def evaluated_pages(config: DetectorConfig, fewest: int) -> list[PageRows]:
    """Return the evaluated writers' pages of at least ``fewest`` words."""
    table = table_of(config.folder)
    return pages_of(table, WriterSplit.load(config.split).parts[config.part], fewest)


def detector_of(config: DetectorConfig, seed: int) -> Detector:
    """Return the configured detector, fitted on calibration writers or trained on train writers."""
    if config.detector in BASELINES:
        return BASELINES[config.detector]
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    if config.detector == DEFAULT:
        return _default(config, seed)
    if config.detector in ("partition", "leave-one-out"):
        covariances = plda_of(table, table.vectors, pages_of(table, split.parts[split.calibration_part]))
        return parts_of(covariances, ())[config.detector]
    return trained(config, config.detector, seed)


def trained(config: DetectorConfig, model: str, seed: int) -> NetworkDetector:
    """Train a network, or load it if this code has trained it on these vectors with these settings."""
    recipe = config.recipe_of(model, seed)
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    folder = _cache_folder(config, [recipe]) / f"{model}-seed{seed}"
    with locked(folder, patience=1800):
        return DetectRun(table, split, folder, recipe).detector()


def _default(config: DetectorConfig, seed: int) -> Combination:
    """The default detector as `handshift calibrate` makes it, loaded if it was made before."""
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    networks: Sequence[NetworkDetector] = [trained(config, name, seed) for name in NETWORKS]
    folder = (
        _cache_folder(config, [config.recipe_of(name, seed) for name in NETWORKS]) / f"default-seed{seed}"
    )
    with locked(folder, patience=1800):
        if not (folder / FILE).exists():
            words = CalibrationData(
                table, table.vectors, split.parts[split.calibration_part], "study", "", seed
            )
            fit_combination(words, networks=networks, bags=1200).save(folder)
    return Combination.load(folder)


def _cache_folder(config: DetectorConfig, recipes: Sequence[DetectRecipe]) -> Path:
    """Folder of what this code trains on these vectors with these settings, shared by all studies.

    The code is part of the name, so that no result rests on weights that other code has trained.
    """
    settings = hashlib.sha256("".join(recipe.model_dump_json() for recipe in recipes).encode())
    settings.update(package_hash().encode())
    return config.trained / f"{config.fingerprint()}-{settings.hexdigest()[:8]}"
