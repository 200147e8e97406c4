"""A trained model of maps: a folder from which any map can be scored, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.onnx_session import OnnxSession
from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.detectors import Detector, load_detector
from handshift.healthmap.maps import HealthMap, MapKind
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.thresholds import Scope, Thresholds
from handshift.healthmap.units import Unit, in_unit

FILE, ENCODER = "model.json", "encoder.onnx"
UNKNOWN = "?"
"""Domain of a map that lies in no known folder."""


class ModelFile(BaseModel):
    """All of a model but its networks: what it was trained on, and how its numbers are read."""

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
    """How many it was trained on, by domain."""


@dataclass(frozen=True)
class TrainedModel:
    """A model folder, opened."""

    folder: Path
    about: ModelFile
    threads: int = 1

    @classmethod
    def load(cls, folder: Path | str, threads: int = 1) -> Self:
        """Read what `save` and the exports wrote."""
        path = Path(folder) / FILE
        try:
            about = ModelFile.model_validate_json(path.read_text("utf-8"))
        except (OSError, ValidationError) as error:
            raise HandshiftError(
                f"{folder}: no model of maps ({FILE} is missing or damaged); `handshift maps train` makes one"
            ) from error
        return cls(Path(folder), about, threads)

    def save(self) -> None:
        """Write ``model.json`` last: where it stands, the model is whole."""
        write_text(self.folder / FILE, self.about.model_dump_json(indent=1) + "\n")

    @cached_property
    def encoder(self) -> OnnxSession:
        """The frozen encoder."""
        # Threads that spin while a map is read and resized take the processor from that work.
        return OnnxSession(self.folder / ENCODER, self.threads, spin=False)

    @cached_property
    def detector(self) -> Detector:
        """What measures its features."""
        return load_detector(self.about.detector, self.folder, self.threads)

    def domain_of(self, path: Path) -> str | None:
        """The known domain whose name is a folder on the way to the file, the nearest first."""
        known = self.about.thresholds.by_domain
        if len(known) == 1:
            return next(iter(known))
        return next((part for part in reversed(path.parent.parts) if part in known), None)

    def examine(self, map_: HealthMap, domain: str | None, scope: Scope = "domain") -> ScoredMap:
        """Score one map; a map of another kind or size than training's is refused by its profile."""
        about = self.about
        about.profile.check(map_)
        warning = about.profile.warning(map_, domain)
        picture = in_unit(about.resizing.apply(map_.planes), about.profile, domain, about.unit)
        distances = self.detector.distances(self.encoder(picture[None]))
        framed = about.scoring.anomaly_maps(distances, about.grid, about.resizing)
        return ScoredMap(
            path=map_.path,
            domain=domain or UNKNOWN,
            values=map_.values,
            score=float(about.scoring.scores(framed)[0]),
            threshold=about.thresholds.of_domain(domain, scope),
            warning=warning,
            photograph=map_.kind is not MapKind.FLOAT,
            anomaly=about.resizing.restore(framed[0], map_.size),
        )
