"""Training of a detector on a folder of maps: fit, set thresholds, test and export."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.healthmap.baselines import MAP_DETECTORS
from handshift.healthmap.baselines.patchcore import PatchCoreOptions
from handshift.healthmap.dataset import MapDataset, MapProfile, iterate_maps, profile_maps, read_dataset
from handshift.healthmap.dataset.map_dataset import VALIDATION_SHARE
from handshift.healthmap.default_unit import default_unit
from handshift.healthmap.detectors import DINOMALY
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe
from handshift.healthmap.fit_detector import (
    FeatureFitting,
    FittedDetector,
    ProgressBar,
    fit_map_detector,
    no_progress_bar,
)
from handshift.healthmap.framing import Framing
from handshift.healthmap.thresholds import Thresholds, figures_by_domain
from handshift.healthmap.trained_model import FILE, ModelFile, TrainedModel
from handshift.healthmap.units import Unit
from handshift.metrics import auroc

RESULTS = "results.json"


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
        unit: Scaling of the maps; None chooses by their axes (`default_unit`).
        domains: Domains to train on; all if empty.
        target: False-alarm rate of the thresholds.
        held_out: Share of the normal maps held out to set them by.
        patchcore: Variants of PatchCore.
        threads: Threads of torch.
    """

    data: Path
    out: Path
    detector: str = DINOMALY
    recipe: DinomalyRecipe = field(default_factory=DinomalyRecipe)
    encoder: str | None = None
    framing: Framing | None = None
    tokens: tuple[int, int] | None = None
    unit: Unit | None = None
    domains: tuple[str, ...] = ()
    target: float = 0.01
    held_out: float = VALIDATION_SHARE
    patchcore: PatchCoreOptions = field(default_factory=PatchCoreOptions)
    threads: int = 1

    def run(self, progress_bar: ProgressBar = no_progress_bar) -> dict[str, Any]:
        """Encode, train or fit, set thresholds, test and export; an interrupted run is resumed.

        Args:
            progress_bar: Shows progress over maps.

        Returns:
            The contents of ``results.json``: counts, thresholds and test figures by domain.

        Raises:
            MapError: The data set or one of its maps cannot be used.
            HandshiftError: The folder holds a training with other settings, or an option is of no use to the
                detector.
        """
        torch.set_num_threads(self.threads)
        self._refuse_other_model()
        self._refuse_unused_options()
        dataset = read_dataset(self.data, self.held_out)
        if self.domains:
            dataset = dataset.only(*self.domains)
        profile = profile_maps(dataset.train)
        if self.detector in MAP_DETECTORS:
            fitted = fit_map_detector(self.detector, dataset, profile, self.out)
        else:
            fitted = FeatureFitting(
                dataset, profile, self.out, self.detector, self.recipe, self.encoder, self.framing,
                self.tokens, self.unit or default_unit(dataset.root, profile), progress_bar, self.patchcore,
            ).fit()  # fmt: skip
        return self._finish(dataset, profile, fitted)

    def _refuse_other_model(self) -> None:
        """A folder keeps the detector that was trained into it: its files would stay among the new ones."""
        if not (self.out / FILE).is_file():
            return
        other = TrainedModel.load(self.out, self.threads).metadata.detector
        if other != self.detector:
            raise HandshiftError(f"{self.out}: holds a {other} model; choose another folder, or remove it")

    def _refuse_unused_options(self) -> None:
        """A detector without encoder reads the maps as they are, and scales them itself."""
        options = {
            "--encoder": self.encoder, "--framing": self.framing, "--tokens": self.tokens, "--unit": self.unit
        }  # fmt: skip
        given = [name for name, value in options.items() if value is not None]
        if self.detector in MAP_DETECTORS and given:
            raise HandshiftError(
                f"--detector {self.detector} has no encoder and scales maps itself: leave out "
                f"{', '.join(given)}"
            )

    def _finish(self, dataset: MapDataset, profile: MapProfile, fitted: FittedDetector) -> dict[str, Any]:
        """Set thresholds, write the model, test."""
        domains = np.array([item.domain for item in dataset.validation])
        validation = fitted.scores["validation"]
        thresholds = Thresholds.fit(validation, domains.tolist(), self.target)
        metadata = ModelFile(
            detector=self.detector,
            profile=profile,
            thresholds=thresholds,
            maps=dict(Counter(item.domain for item in dataset.train)),
            validation_scores={
                str(name): tuple(validation[domains == name].tolist()) for name in np.unique(domains)
            },
            **fitted.fields,
        )
        TrainedModel(self.out, metadata).save()
        results: dict[str, Any] = {
            "detector": self.detector,
            "maps": dataset.counts(),
            "thresholds": thresholds.model_dump(),
            "test": {},
        }
        if dataset.test:
            results["test"] = figures_by_domain(dataset.test, fitted.scores["test"], thresholds)
            results["mean_level_auroc"] = mean_level_auroc(dataset)
        write_text(self.out / RESULTS, json.dumps(results, indent=1) + "\n")
        return results


def mean_level_auroc(dataset: MapDataset) -> dict[str, float]:
    """AUROC of the mean level in each domain with maps of both classes, the trivial baseline.

    Args:
        dataset: With test maps.

    Returns:
        AUROC by domain; far from 0.5 the runs differ in level, and a detector may have found the run.
    """
    found: dict[str, float] = {}
    for domain in dataset.domains:
        items = [item for item in dataset.test if item.domain == domain]
        labels = [item.label for item in items]
        if len(set(labels)) == 2:
            levels = [float(np.abs(map_.values).mean()) for _, map_ in iterate_maps(items)]
            found[domain] = auroc(labels, levels)
    return found
