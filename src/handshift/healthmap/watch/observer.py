"""One file of a machine, scored: a map, or a recording whose sensors are joined by the highest index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import numpy as np

from handshift.core.errors import MapError
from handshift.healthmap.health_map import HealthMap, MapKind, read_map
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.vibration.description import RecordingDescription
from handshift.healthmap.vibration.map_maker import MapMaker, MapStyle
from handshift.healthmap.vibration.recording import Recording, read_recording
from handshift.healthmap.which_tooth import Tooth, which_tooth

SMALLEST_SCALE = 0.05
"""Of the median score: with one or two validation maps the threshold lies at the median itself."""


@dataclass(frozen=True)
class Observed:
    """A map, or a sensor's map of median index in a recording, with its health index.

    Attributes:
        index: (score − median)/(threshold − median) of normal maps: 0 usual, 1 at the threshold.
        domain: Whose threshold was used.
        scored: The map with its score and anomaly map.
        axes: What rows and columns are; None where their numbers mean nothing.
        counted_rows: Whether rows have the same numbers in all maps.
    """

    index: float
    domain: str | None
    scored: ScoredMap
    axes: tuple[str, str] | None = ("row", "column")
    counted_rows: bool = True

    @property
    def tooth(self) -> Tooth | None:
        """The row or column that stands out; None for photographs."""
        if self.scored.photograph:
            return None
        return which_tooth(self.scored.anomaly, self.scored.values).tooth

    @property
    def tooth_name(self) -> str | None:
        """``row 13``, from 1."""
        tooth = self.tooth
        return f"{tooth.axis} {tooth.number + 1}" if tooth else None

    @property
    def stands_out(self) -> str | None:
        """By what the axes are: ``order band 13``; None where tooth 1 is another one in every map.

        A planet tooth has no number: a pulse once a turn of the carrier says which ring tooth comes first,
        and another planet tooth meets it in each turn.
        """
        tooth = self.tooth
        if tooth is None or self.axes is None:
            return None
        if tooth.axis == "row" and not self.counted_rows:
            return self.axes[0]
        return f"{self.axes[tooth.axis == 'column']} {tooth.number + 1}"


def highest(observed: Iterable[Observed]) -> Observed:
    """The sensor with the highest index: a fault is clearest at the sensor next to it."""
    return max(observed, key=lambda one: one.index)


@dataclass(frozen=True)
class Observer:
    """Scores files of a machine.

    Attributes:
        model: Trained on normal maps of the machine.
        domain: Of all maps; None for the folder a map lies in, or the sensor of a recording.
        maker: How recordings become maps; None reads maps.
        description: Sampling rate, sensors and tachometer of recordings.
    """

    model: TrainedModel
    domain: str | None = None
    maker: MapMaker | None = None
    description: RecordingDescription | None = None

    def observe(self, path: Path) -> list[Observed]:
        """Score one file.

        Args:
            path: A map, or a recording if there is a `maker`.

        Returns:
            One result for a map; one for every sensor of a recording that the model knows.

        Raises:
            MapError: The file cannot be read or scored, or the model knows none of its sensors.
        """
        if self.maker is None:
            return [self.index(read_map(path), self.domain or self.model.domain_of(path))]
        return self.observe_recording(read_recording(path, description=self.description))

    def observe_recording(self, recording: Recording) -> list[Observed]:
        """Score the maps of a recording; of each sensor the map of median index is kept.

        Raises:
            MapError: The recording cannot be tracked, or the model knows none of its sensors.
        """
        if self.maker is None:
            raise ValueError("recordings need a map maker")
        path, maps = recording.path, self.maker.maps(recording)  # (maps, sensors, rows, columns)
        observed: list[Observed] = []
        for sensor in range(maps.shape[1]):
            domain = self.domain or self._sensor_domain(path, sensor)
            if domain is None:
                continue
            values = maps[:, sensor].astype(np.float32)
            found = [self.index(HealthMap(one, MapKind.FLOAT, path), domain) for one in values]
            usual = sorted(found, key=lambda one: one.index)[len(found) // 2]
            observed.append(replace(usual, axes=self._axes(recording), counted_rows=self.maker.counted_rows))
        if not observed:
            known = ", ".join(self.model.metadata.thresholds.by_domain)
            raise MapError(path, f"the model was trained on {known}, on none of the recording's sensors")
        return observed

    def index(self, map_: HealthMap, domain: str | None) -> Observed:
        """Score one map and relate it to normal maps."""
        scored = self.model.examine(map_, domain)
        usual = self._usual(domain)
        scale = max(scored.threshold - usual, SMALLEST_SCALE * abs(usual), 1e-12)
        # 1 at the threshold whatever the scale, so that flagged and an index of 1 or more are the same.
        return Observed(1 + (scored.score - scored.threshold) / scale, domain, scored)

    def _axes(self, recording: Recording) -> tuple[str, str] | None:
        """Of the recording's maps; None where its first tooth is random."""
        if self.maker is None or (self.maker.style is MapStyle.TEETH and recording.tacho is None):
            return None
        return self.maker.axes

    def _sensor_domain(self, path: Path, sensor: int) -> str | None:
        """The model's domain of a sensor, as `maps build` names it: ``<load>-a<sensor>``."""
        known = self.model.metadata.thresholds.by_domain
        ends = [name for name in known if name.endswith(f"-a{sensor + 1}")]
        own = [name for name in ends if name.rpartition("-")[0] in path.stem]
        return next(iter(own or (ends if len(ends) == 1 else [])), None)

    def _usual(self, domain: str | None) -> float:
        """Median score of normal validation maps of the domain, or of all domains."""
        by_domain = self.model.metadata.validation_scores
        own = by_domain.get(domain or "")
        return median(own if own else [score for scores in by_domain.values() for score in scores])
