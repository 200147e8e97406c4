"""From a folder of maps to a model that scores others: the whole of `handshift maps train`."""

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
from handshift.healthmap.baselines import FITTED
from handshift.healthmap.dataset import MapDataset, MapItem, MapProfile, read_dataset, survey
from handshift.healthmap.detectors import DINOMALY, DinomalyDetector
from handshift.healthmap.dinomaly.distance import Distances
from handshift.healthmap.dinomaly.recipe import DinomalyRecipe
from handshift.healthmap.dinomaly.task import DinomalyTask
from handshift.healthmap.encoder import SHIPPED, FrozenEncoder, frozen_encoder
from handshift.healthmap.export_encoder import export_map_network
from handshift.healthmap.features import FeatureCache
from handshift.healthmap.framing import Framing, default_tokens, resizing_for
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.thresholds import Thresholds, by_domain
from handshift.healthmap.trained_model import ENCODER, ModelFile, TrainedModel
from handshift.healthmap.units import Unit
from handshift.training import fit

RESULTS = "results.json"
Distance = NDArray[np.float32]
Bar = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""(label, number of maps) → what moves a progress bar on."""


@contextmanager
def no_bar(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """Where nobody looks."""
    yield lambda steps: None


@dataclass(frozen=True)
class MapRun:
    """What is trained on, where it goes, and how."""

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

    def to_the_end(self, bar: Bar = no_bar) -> dict[str, Any]:
        """Encode, train or fit, set thresholds, test, export; what ``results.json`` tells."""
        torch.set_num_threads(self.threads)
        dataset = read_dataset(self.data)
        if self.domains:
            dataset = dataset.only(*self.domains)
        profile = survey(dataset.train)
        encoder, resizing = self._encoder(profile)
        measure = _Measuring(self, dataset, encoder, resizing, profile, bar)
        distances, scoring = measure.distances()
        grid = encoder.grid
        scores = {
            part: scoring.scores(scoring.anomaly_maps(values, grid, resizing))
            for part, values in distances.items()
        }
        thresholds = Thresholds.of(
            scores["validation"], [item.domain for item in dataset.validation], self.target
        )
        about = ModelFile(
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
        TrainedModel(self.out, about).save()
        told = {
            "detector": self.detector,
            "maps": dataset.counts(),
            "thresholds": thresholds.model_dump(),
            "test": by_domain(dataset.test, scores["test"], thresholds) if dataset.test else {},
        }
        write_text(self.out / RESULTS, json.dumps(told, indent=1) + "\n")
        return told

    def _encoder(self, profile: MapProfile) -> tuple[FrozenEncoder, Resizing]:
        tokens = self.tokens or default_tokens(profile)
        encoder = frozen_encoder(self.encoder, tokens)
        return encoder, resizing_for(profile, tokens, encoder.patch, self.framing)


@dataclass(frozen=True)
class _Measuring:
    """The part of a run that knows its detector."""

    run: MapRun
    dataset: MapDataset
    encoder: FrozenEncoder
    resizing: Resizing
    profile: MapProfile
    bar: Bar

    def distances(self) -> tuple[dict[str, Distance], Scoring]:
        """Distances of the held-out maps, and how to read them; the detector is saved on the way."""
        train = self._features("train", self.dataset.train)
        held = self._features("validation", self.dataset.validation)
        test = self._features("test", self.dataset.test)
        if self.run.detector != DINOMALY:
            fitted = FITTED[self.run.detector].fit(train, self.run.recipe.seed)
            fitted.save(self.run.out / f"{self.run.detector}.npz")
            found = {"validation": fitted.measured(held), "test": fitted.measured(test)}
            return found, Scoring(top=self.run.recipe.scoring.top)
        task = DinomalyTask(self.run.recipe, train, [item.domain for item in self.dataset.train], held)
        fit(
            task,
            self.run.recipe.training(),
            self.run.out / "training",
            identity={**self.run.recipe.identity(), **self._cache("train").identity(self.dataset.train)},
            progress_bar=self.bar is not no_bar,
        )
        example = torch.from_numpy(np.asarray(train[:3], np.float32))
        export_map_network(
            Distances(task.module.decoder),
            example,
            self.run.out / DinomalyDetector.FILE,
            "features",
            "distances",
        )
        scoring = self.run.recipe.scoring.model_copy(update={"weights": task.scale_weights()})
        return {"validation": task.distances(held), "test": task.distances(test)}, scoring

    def _features(self, part: str, items: tuple[MapItem, ...]) -> NDArray[np.float16]:
        with self.bar(f"features, {part}", len(items)) as advance:
            return self._cache(part).features(items, lambda: advance(1))

    def _cache(self, part: str) -> FeatureCache:
        folder = self.run.out / "cache" / part
        return FeatureCache(folder, self.encoder, self.resizing, self.profile, self.run.unit)
