"""Fitting of detectors: Dinomaly, PatchCore, PaDiM and PCA on encoder features, others on the maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.healthmap.baselines import (
    FEATURE_DETECTORS,
    MAP_DETECTORS,
    ByDomain,
    FeatureDetector,
    PatchCore,
)
from handshift.healthmap.baselines.patchcore import PatchCoreOptions
from handshift.healthmap.dataset import MapDataset, MapItem, MapProfile, iterate_maps, load_resized
from handshift.healthmap.detectors import DINOMALY, PATCHCORE, DinomalyDetector
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.dinomaly_task import DinomalyTask
from handshift.healthmap.encoder import SHIPPED, FrozenEncoder, load_frozen_encoder
from handshift.healthmap.export_encoder import export_map_network
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import Framing, default_tokens, resizing_for
from handshift.healthmap.health_map import MapKind
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.standardisation import Standardisation
from handshift.healthmap.trained_model import ENCODER
from handshift.healthmap.units import Unit
from handshift.training import fit

Distance = NDArray[np.float32]
ProgressBar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""(label, number of maps) → context that yields a function to advance the bar."""


@contextmanager
def no_progress_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show nothing."""
    yield lambda steps: None


@dataclass(frozen=True)
class FittedDetector:
    """Scores of validation and test maps, and the fields of ``model.json`` that depend on the detector."""

    scores: dict[str, NDArray[np.float64]]
    fields: dict[str, Any]


@dataclass(frozen=True)
class FeatureFitting:
    """Fit a detector on the features of an encoder, and save it; attributes as in `DetectorTraining`."""

    dataset: MapDataset
    profile: MapProfile
    out: Path
    detector: str
    recipe: DinomalyRecipe
    encoder: str | None
    framing: Framing | None
    tokens: tuple[int, int] | None
    unit: Unit
    progress_bar: ProgressBar
    patchcore: PatchCoreOptions

    def fit(self) -> FittedDetector:
        """Encode all maps, fit and save the detector, export the encoder, score validation and test maps."""
        tokens = self.tokens or default_tokens(self.profile)
        kept = self.detector == DINOMALY and self.recipe.class_tokens
        encoder = load_frozen_encoder(self.encoder, tokens, class_tokens=kept)
        resizing = resizing_for(self.profile, tokens, encoder.patch, self.framing)
        standardisation = None
        if self.unit == "standard":
            standardisation = Standardisation.fit(iterate_maps(self.dataset.train))
            standardisation.save(self.out)
        caches = {
            part: FeatureCache(
                self.out / "cache" / part, encoder, resizing, self.profile, self.unit, standardisation
            )
            for part in ("train", "validation", "test")
        }
        distances, scoring = self._distances(caches)
        parts = {"validation": self.dataset.validation, "test": self.dataset.test}
        scores = {
            part: scoring.scores(
                scoring.anomaly_maps(values, encoder.grid, resizing), _insides(parts[part], resizing)
            )
            for part, values in distances.items()
        }
        self._export_encoder(encoder)
        return FittedDetector(
            scores,
            {
                "encoder": self.encoder or SHIPPED,
                "encoder_fingerprint": encoder.fingerprint(),
                "grid": encoder.grid,
                "resizing": resizing,
                "unit": self.unit,
                "scoring": scoring,
                "standardisation": standardisation.fingerprint() if standardisation else "",
            },
        )

    def _distances(self, caches: dict[str, FeatureCache]) -> tuple[dict[str, Distance], Scoring]:
        """Fit and save the detector; return the distances of validation and test maps, and their scoring."""
        train = self._features(caches, "train", self.dataset.train)
        validation = self._features(caches, "validation", self.dataset.validation)
        test = self._features(caches, "test", self.dataset.test)
        if self.detector != DINOMALY:
            grid = caches["train"].encoder.grid
            fitted = fit_feature_detector(self.detector, train, self.recipe.seed, self.patchcore, grid)
            fitted.save(self.out / f"{self.detector}.npz")
            found = {
                "validation": fitted.batched_distances(validation),
                "test": fitted.batched_distances(test),
            }
            return found, Scoring(top=self.recipe.scoring.top, blur=self.recipe.scoring.blur)
        prefix = caches["train"].encoder.prefix
        domains = [item.domain for item in self.dataset.train]
        task = DinomalyTask(self.recipe, train, domains, validation, prefix)
        fit(
            task,
            self.recipe.training(),
            self.out / "training",
            identity={**self.recipe.identity(), **caches["train"].identity(self.dataset.train)},
            progress_bar=self.progress_bar is not no_progress_bar,
        )
        example = torch.from_numpy(np.asarray(train[:3], np.float32))
        export_map_network(
            task.measure(),
            example,
            self.out / DinomalyDetector.FILE,
            "features",
            "distances",
        )
        scoring = self.recipe.scoring.model_copy(update={"weights": task.scale_weights()})
        return {"validation": task.distances(validation), "test": task.distances(test)}, scoring

    def _features(
        self, caches: dict[str, FeatureCache], part: str, items: tuple[MapItem, ...]
    ) -> NDArray[np.float16]:
        with self.progress_bar(f"features, {part}", len(items)) as advance:
            return caches[part].features(items, lambda: advance(1))

    def _export_encoder(self, encoder: FrozenEncoder) -> None:
        example = torch.rand(3, self.profile.channels, *encoder.size)
        export_map_network(encoder, example, self.out / ENCODER, "pictures", "features")


def _insides(items: tuple[MapItem, ...], resizing: Resizing) -> list[NDArray[np.bool_]] | None:
    """Of each picture the pixels of the frame that show it; None if all do."""
    if not resizing.keep_shape:
        return None
    return [resizing.inside(map_.size) for _, map_ in iterate_maps(items)]


def fit_feature_detector(
    name: str,
    features: NDArray[np.floating],
    seed: int,
    patchcore: PatchCoreOptions,
    grid: tuple[int, int],
) -> FeatureDetector:
    """Fit PatchCore with its options, or another of `FEATURE_DETECTORS`."""
    if name == PATCHCORE:
        return PatchCore.fit(features, seed, patchcore, grid)
    return FEATURE_DETECTORS[name].fit(features, seed)


def fit_map_detector(name: str, dataset: MapDataset, profile: MapProfile, out: Path) -> FittedDetector:
    """Fit and save a detector without encoder for each domain, and score validation and test maps.

    Args:
        name: One of `MAP_DETECTORS`.
        dataset: Of float maps.
        profile: Of the training maps.
        out: Folder for the model.

    Returns:
        Scores and fields of the model.

    Raises:
        HandshiftError: The data set holds pictures.
    """
    if profile.kind is not MapKind.FLOAT or profile.size is None:
        raise HandshiftError(f"--detector {name} needs float maps; use patchcore for pictures")
    whole = Resizing.whole(profile.size)
    train = load_resized(dataset.train, whole, profile)[:, 0]
    detectors = ByDomain.fit(MAP_DETECTORS[name], train, [item.domain for item in dataset.train])
    detectors.save(out / f"{name}.npz")
    scores = {}
    for part, items in (("validation", dataset.validation), ("test", dataset.test)):
        maps = load_resized(items, whole, profile)[:, 0]
        scores[part] = np.array(
            [
                detectors.of_domain(item.domain).scores(map_[None])[0]
                for item, map_ in zip(items, maps, strict=True)
            ]
        )
    return FittedDetector(
        scores,
        {
            "encoder": "none",
            "encoder_fingerprint": "",
            "grid": profile.size,
            "resizing": whole,
            "unit": "raw",
            "scoring": Scoring(),
        },
    )
