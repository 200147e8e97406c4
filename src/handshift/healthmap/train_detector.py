"""Training of a detector on a folder of maps: encode, fit, set thresholds, test and export."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.healthmap.baselines import FEATURE_DETECTORS
from handshift.healthmap.dataset import MapDataset, MapItem, MapProfile, profile_maps, read_dataset
from handshift.healthmap.detectors import DINOMALY, DinomalyDetector
from handshift.healthmap.dinomaly.cosine_distance import ReconstructionDistance
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.dinomaly_task import DinomalyTask
from handshift.healthmap.encoder import SHIPPED, FrozenEncoder, load_frozen_encoder
from handshift.healthmap.export_encoder import export_map_network
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import Framing, default_tokens, resizing_for
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.thresholds import Thresholds, figures_by_domain
from handshift.healthmap.trained_model import ENCODER, ModelFile, TrainedModel
from handshift.healthmap.units import Unit
from handshift.training import fit

RESULTS = "results.json"
Distance = NDArray[np.float32]
ProgressBar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""(label, number of maps) → context that yields a function to advance the bar."""


@contextmanager
def no_progress_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Show nothing."""
    yield lambda steps: None


@dataclass(frozen=True)
class DetectorTraining:
    """Settings of one training run.

    Attributes:
        data: Folder or manifest of the data set.
        out: Folder for the model.
        detector: One of `DETECTORS`.
        recipe: Decoder and training of Dinomaly; its seed and scoring hold for every detector.
        encoder: Local folder, hub name or short name; None for the shipped encoder.
        framing: Layout on the patch grid; None chooses by the kind of map.
        tokens: Rows and columns of patches; None chooses by the size of the maps.
        unit: Scaling of the maps.
        domains: Domains to train on; all if empty.
        target: False-alarm rate of the thresholds.
        threads: Threads of torch.
    """

    data: Path
    out: Path
    detector: str = DINOMALY
    recipe: DinomalyRecipe = field(default_factory=DinomalyRecipe)
    encoder: str | None = None
    framing: Framing | None = None
    tokens: tuple[int, int] | None = None
    unit: Unit = "domain"
    domains: tuple[str, ...] = ()
    target: float = 0.01
    threads: int = 1

    def run(self, progress_bar: ProgressBar = no_progress_bar) -> dict[str, Any]:
        """Encode, train or fit, set thresholds, test and export; an interrupted run is resumed.

        Args:
            progress_bar: Shows progress over maps.

        Returns:
            The contents of ``results.json``: counts, thresholds and test figures by domain.

        Raises:
            MapError: The data set or one of its maps cannot be used.
            HandshiftError: The folder holds a training with other settings.
        """
        torch.set_num_threads(self.threads)
        dataset = read_dataset(self.data)
        if self.domains:
            dataset = dataset.only(*self.domains)
        profile = profile_maps(dataset.train)
        encoder, resizing = self._encoder(profile)
        fitting = _Fitting(self, dataset, encoder, resizing, profile, progress_bar)
        distances, scoring = fitting.distances()
        grid = encoder.grid
        scores = {
            part: scoring.scores(scoring.anomaly_maps(values, grid, resizing))
            for part, values in distances.items()
        }
        thresholds = Thresholds.fit(
            scores["validation"], [item.domain for item in dataset.validation], self.target
        )
        metadata = ModelFile(
            detector=self.detector,
            encoder=self.encoder or SHIPPED,
            encoder_fingerprint=encoder.fingerprint(),
            grid=grid,
            resizing=resizing,
            unit=self.unit,
            profile=profile,
            scoring=scoring,
            thresholds=thresholds,
            maps=dict(Counter(item.domain for item in dataset.train)),
        )
        example = torch.rand(3, profile.channels, *encoder.size)
        export_map_network(encoder, example, self.out / ENCODER, "pictures", "features")
        TrainedModel(self.out, metadata).save()
        results = {
            "detector": self.detector,
            "maps": dataset.counts(),
            "thresholds": thresholds.model_dump(),
            "test": figures_by_domain(dataset.test, scores["test"], thresholds) if dataset.test else {},
        }
        write_text(self.out / RESULTS, json.dumps(results, indent=1) + "\n")
        return results

    def _encoder(self, profile: MapProfile) -> tuple[FrozenEncoder, Resizing]:
        tokens = self.tokens or default_tokens(profile)
        encoder = load_frozen_encoder(self.encoder, tokens)
        return encoder, resizing_for(profile, tokens, encoder.patch, self.framing)


@dataclass(frozen=True)
class _Fitting:
    """The part of a run that depends on the detector."""

    run: DetectorTraining
    dataset: MapDataset
    encoder: FrozenEncoder
    resizing: Resizing
    profile: MapProfile
    progress_bar: ProgressBar

    def distances(self) -> tuple[dict[str, Distance], Scoring]:
        """Fit and save the detector; return the distances of validation and test maps, and their scoring."""
        train = self._features("train", self.dataset.train)
        validation = self._features("validation", self.dataset.validation)
        test = self._features("test", self.dataset.test)
        if self.run.detector != DINOMALY:
            fitted = FEATURE_DETECTORS[self.run.detector].fit(train, self.run.recipe.seed)
            fitted.save(self.run.out / f"{self.run.detector}.npz")
            found = {
                "validation": fitted.batched_distances(validation),
                "test": fitted.batched_distances(test),
            }
            return found, Scoring(top=self.run.recipe.scoring.top)
        task = DinomalyTask(self.run.recipe, train, [item.domain for item in self.dataset.train], validation)
        fit(
            task,
            self.run.recipe.training(),
            self.run.out / "training",
            identity={**self.run.recipe.identity(), **self._cache("train").identity(self.dataset.train)},
            progress_bar=self.progress_bar is not no_progress_bar,
        )
        example = torch.from_numpy(np.asarray(train[:3], np.float32))
        export_map_network(
            ReconstructionDistance(task.module.decoder),
            example,
            self.run.out / DinomalyDetector.FILE,
            "features",
            "distances",
        )
        scoring = self.run.recipe.scoring.model_copy(update={"weights": task.scale_weights()})
        return {"validation": task.distances(validation), "test": task.distances(test)}, scoring

    def _features(self, part: str, items: tuple[MapItem, ...]) -> NDArray[np.float16]:
        with self.progress_bar(f"features, {part}", len(items)) as advance:
            return self._cache(part).features(items, lambda: advance(1))

    def _cache(self, part: str) -> FeatureCache:
        folder = self.run.out / "cache" / part
        return FeatureCache(folder, self.encoder, self.resizing, self.profile, self.run.unit)
