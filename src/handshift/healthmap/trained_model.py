"""A trained map model: a folder with encoder, detector, scaling and thresholds, run without torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import LoadError, read_text
from handshift.core.onnx_session import OnnxSession
from handshift.healthmap.baselines import MAP_DETECTORS, ByDomain, LocatingDetector
from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.detectors import Detector, load_detector
from handshift.healthmap.health_map import Floats, HealthMap, MapKind
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.standardisation import Standardisation
from handshift.healthmap.thresholds import Scope, Thresholds
from handshift.healthmap.units import MapScaling, Unit

FILE, ENCODER = "model.json", "encoder.onnx"
UNKNOWN = "?"
"""Domain of a map that lies in no folder named like a domain."""


class ModelFile(BaseModel):
    """Contents of ``model.json``: everything of a model but its networks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    written_by: str = "handshift maps train"
    detector: str
    encoder: str
    encoder_fingerprint: str
    grid: tuple[int, int]
    resizing: Resizing
    unit: Unit
    profile: MapProfile
    scoring: Scoring
    thresholds: Thresholds
    maps: dict[str, int]
    """Number of training maps by domain."""
    standardisation: str = ""
    """Fingerprint of the fitted standardisation; empty for the other units."""
    validation_scores: dict[str, tuple[float, ...]] = {}
    """Scores of the held-out normal maps by domain, on which the thresholds rest."""


@dataclass(frozen=True)
class TrainedModel:
    """A loaded model folder."""

    folder: Path
    metadata: ModelFile
    threads: int = 1

    @classmethod
    def load(cls, folder: Path | str, threads: int = 1) -> Self:
        """Load a model folder.

        Args:
            folder: A folder that `handshift maps train` wrote.
            threads: Threads of onnxruntime.

        Returns:
            The model; its networks are loaded on first use.

        Raises:
            HandshiftError: ``model.json`` is missing or damaged.
        """
        path = Path(folder) / FILE
        try:
            metadata = ModelFile.model_validate_json(read_text(path))
        except (LoadError, ValidationError) as error:
            raise HandshiftError(
                f"{folder}: not a map model ({FILE} is missing or damaged); see `handshift maps train`"
            ) from error
        return cls(Path(folder), metadata, threads)

    def save(self) -> None:
        """Write ``model.json``, the last file of a model: if it exists, the model is complete."""
        write_text(self.folder / FILE, self.metadata.model_dump_json(indent=1) + "\n")

    @cached_property
    def encoder(self) -> OnnxSession:
        """The frozen encoder."""
        # Threads that spin while a map is read and resized take the processor from that work.
        return OnnxSession(self.folder / ENCODER, self.threads, spin=False)

    @cached_property
    def detector(self) -> Detector:
        """The detector on the encoder's features."""
        return load_detector(self.metadata.detector, self.folder, self.threads)

    @cached_property
    def map_detectors(self) -> ByDomain[LocatingDetector]:
        """The detectors of a model without encoder."""
        name = self.metadata.detector
        return ByDomain.load(MAP_DETECTORS[name], self.folder / f"{name}.npz")

    @cached_property
    def scaling(self) -> MapScaling:
        """Scaling of the maps, with the numbers fitted in training."""
        stored = self.metadata.standardisation
        standardisation = Standardisation.load(self.folder, stored) if stored else None
        return MapScaling(self.metadata.unit, self.metadata.profile, standardisation)

    def domain_of(self, path: Path) -> str | None:
        """The domain named like the nearest parent folder of the file; None if no folder matches."""
        known = self.metadata.thresholds.by_domain
        if len(known) == 1:
            return next(iter(known))
        return next((part for part in reversed(path.parent.parts) if part in known), None)

    def examine(self, map_: HealthMap, domain: str | None, scope: Scope = "domain") -> ScoredMap:
        """Score one map.

        Args:
            map_: The map.
            domain: Its domain; None if unknown.
            scope: Whether the domain's own threshold is used or the overall one.

        Returns:
            Score, threshold and anomaly map.

        Raises:
            MapError: The map differs from the training maps in kind, channels or size.
        """
        metadata = self.metadata
        metadata.profile.check(map_)
        score, anomaly = self._without_encoder(map_, domain) if self.pixels else self._network(map_, domain)
        return ScoredMap(
            path=map_.path,
            domain=domain or UNKNOWN,
            values=map_.values,
            score=score,
            threshold=metadata.thresholds.of_domain(domain, scope),
            warning=metadata.profile.warning(map_, domain),
            photograph=map_.kind is not MapKind.FLOAT,
            anomaly=anomaly,
        )

    @property
    def pixels(self) -> bool:
        """Whether the detector uses the map itself, without an encoder."""
        return self.metadata.detector in MAP_DETECTORS

    def _network(self, map_: HealthMap, domain: str | None) -> tuple[float, Floats]:
        metadata = self.metadata
        picture = self.scaling.picture(map_.planes, domain, metadata.resizing)
        distances = self.detector.distances(self.encoder(picture[None]))
        framed = metadata.scoring.anomaly_maps(distances, metadata.grid, metadata.resizing)
        inside = [metadata.resizing.inside(map_.size)] if metadata.resizing.keep_shape else None
        score = float(metadata.scoring.scores(framed, inside)[0])
        return score, metadata.resizing.restore(framed[0], map_.size)

    def _without_encoder(self, map_: HealthMap, domain: str | None) -> tuple[float, Floats]:
        detector = self.map_detectors.of_domain(domain)
        anomaly = detector.anomaly_maps(map_.values[None])[0].astype(np.float32)
        return float(detector.scores(map_.values[None])[0]), anomaly
