"""What studies of detectors share: vectors of known writers, and every detector by its name."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from handshift.bag.pages import PageRows, pages_of
from handshift.calibration.calibrate_pages import calibrate
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

VECTORS = "HANDSHIFT_VECTORS"
"""Where the word vectors lie if the study file does not say: they are too large to move about."""
DEFAULT = "default"
NETWORKS = ("evidence-net", "relation-net")
"""The trained parts of the default."""


class DetectorConfig(BaseModel):
    """One detector on the vectors of writers it has not learned from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vectors: Path | None = Field(default=None, description=f"folder of word vectors; ${VECTORS} if not given")
    split: Path
    part: str = Field(default="test", description="writers who are asked about")
    detector: str = Field(
        default=DEFAULT, description="default, partition, leave-one-out, a baseline or a trained model"
    )
    recipe: dict[str, Any] = Field(default={}, description="of the trained models")
    recipes: dict[str, dict[str, Any]] = Field(default={}, description="of some, where it differs")
    trained: Path = Field(default=Path("runs/detectors"), description="where trainings are kept and found")

    @property
    def folder(self) -> Path:
        """The vectors."""
        folder = self.vectors or Path(os.environ.get(VECTORS, ""))
        if not (folder / "vectors.npy").is_file():
            raise StudyError(
                f"vectors: {folder} holds no word vectors. `handshift train detect --words … --network …` "
                f"leaves them in its folder `vectors`; set {VECTORS} to it"
            )
        return folder

    def recipe_of(self, model: str, seed: int) -> DetectRecipe:
        """How this model is trained."""
        own = self.recipes.get(model, {})
        return DetectRecipe.of({**self.recipe, **own, "model": model, "seed": seed})

    def fingerprint(self) -> str:
        """Of vectors and split."""
        split = hashlib.sha256(self.split.read_bytes()).hexdigest()[:8]
        return f"{table_of(self.folder).fingerprint}-{split}"


@lru_cache(maxsize=1)  # a worker runs many detectors on the same words
def table_of(folder: Path) -> WordVectors:
    """The vectors, read once."""
    return WordVectors.load(folder)


def pages_asked(config: DetectorConfig, fewest: int) -> list[PageRows]:
    """Pages of so many words or more by the writers who are asked about."""
    table = table_of(config.folder)
    return pages_of(table, WriterSplit.load(config.split).parts[config.part], fewest)


def detector_of(config: DetectorConfig, seed: int) -> Detector:
    """The detector, fitted on calibration writers and trained on train writers where it needs that."""
    if config.detector in BASELINES:
        return BASELINES[config.detector]
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    calibration = split.parts["calibration"]
    if config.detector == DEFAULT:
        return _default(config, seed)
    if config.detector in ("partition", "leave-one-out"):
        covariances = plda_of(table, table.vectors, pages_of(table, calibration))
        return parts_of(covariances, ())[config.detector]
    return trained(config, config.detector, seed)


def trained(config: DetectorConfig, model: str, seed: int) -> NetworkDetector:
    """A network, found again if it was trained before on these vectors with these settings."""
    recipe = config.recipe_of(model, seed)
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    folder = _kept(config, [recipe]) / f"{model}-seed{seed}"
    with locked(folder, patience=1800):
        return DetectRun(table, split, folder, recipe).detector()


def _default(config: DetectorConfig, seed: int) -> Combination:
    """Made as `handshift calibrate` makes it; found again if it was made before."""
    table, split = table_of(config.folder), WriterSplit.load(config.split)
    networks: Sequence[NetworkDetector] = [trained(config, name, seed) for name in NETWORKS]
    folder = _kept(config, [config.recipe_of(name, seed) for name in NETWORKS]) / f"default-seed{seed}"
    with locked(folder, patience=1800):
        if not (folder / FILE).exists():
            words = CalibrationData(table, table.vectors, split.parts["calibration"], "study", "", seed)
            combination, _ = calibrate(words, networks=networks, bags=1200)
            combination.save(folder)
    return Combination.load(folder)


def _kept(config: DetectorConfig, recipes: Sequence[DetectRecipe]) -> Path:
    """Where what is trained on these vectors with these settings lies, for any study to find."""
    settings = hashlib.sha256("".join(recipe.model_dump_json() for recipe in recipes).encode())
    return config.trained / f"{config.fingerprint()}-{settings.hexdigest()[:8]}"
