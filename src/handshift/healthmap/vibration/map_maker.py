"""Conversion of one recording into maps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from zlib import crc32

import numpy as np

from handshift.core.errors import MapError
from handshift.healthmap.planetary_stage import PlanetaryStage
from handshift.healthmap.vibration.channels import Floats64
from handshift.healthmap.vibration.order_tracking import angle_from_tacho, angle_from_tone, resample_to_angle
from handshift.healthmap.vibration.recording import Recording
from handshift.healthmap.vibration.tooth_maps import (
    SAMPLES_PER_MESH,
    order_by_turn,
    synchronous_average,
    tooth_by_tooth,
    tooth_by_turn,
)

MAX_FREQUENCY = 0.45
"""Of the sampling rate: orders above it hold resampling noise only."""


class MapStyle(StrEnum):
    """Axes of the map."""

    TEETH = "teeth"
    """Tooth × tooth of a planetary stage, tooth × turn of a parallel one."""
    ORDERS = "orders"
    """Order band × turn."""


@dataclass(frozen=True, slots=True)
class MapMaker:
    """Settings of the conversion from recordings to maps."""

    stage: PlanetaryStage | int
    """A planetary stage, or the teeth of the pinion of a parallel one."""
    speed: float
    """Turns of the carrier or the pinion per second, to within 3 %."""
    style: MapStyle = MapStyle.TEETH
    columns: int = 10
    """Turns in one map, if its columns are turns."""
    order: float | None = None
    """Order of the tone to track without a tachometer; None chooses it by the stage."""
    sensor: int = 0
    """Number, from 0, of the sensor with the clearest tone."""
    average: int = 1
    """Tooth cycles to average: of one turn, or of as many turns as a tooth × tooth map takes."""

    @property
    def meshes(self) -> int:
        """Teeth that mesh in one turn."""
        return self.stage if isinstance(self.stage, int) else self.stage.ring

    @property
    def turns_per_map(self) -> int:
        """Turns that one map takes."""
        if self.style is MapStyle.TEETH and isinstance(self.stage, PlanetaryStage):
            return self.stage.planet
        return self.columns

    @property
    def axes(self) -> tuple[str, str]:
        """What rows and columns of a map are."""
        if self.style is MapStyle.ORDERS:
            return "order band", "turn"
        return ("tooth", "turn") if isinstance(self.stage, int) else ("planet tooth", "ring tooth")

    @property
    def counted_rows(self) -> bool:
        """Whether row 1 is the same in all recordings: order bands are, planet teeth are not."""
        return self.style is MapStyle.ORDERS or not isinstance(self.stage, PlanetaryStage)

    @property
    def tone(self) -> float:
        """The tracked order: the mesh, or the next multiple of the number of planets (it does not cancel)."""
        if self.order is not None:
            return self.order
        if isinstance(self.stage, int):
            return self.stage
        return ceil(self.stage.ring / self.stage.planets) * self.stage.planets

    def maps(self, recording: Recording) -> Floats64:
        """All complete maps of a recording in order of time.

        Args:
            recording: Samples of all sensors, with a tachometer or a clear mesh tone.

        Returns:
            (maps, sensors, rows, columns).

        Raises:
            MapError: The sensor does not exist, the tone cannot be tracked, or the recording is too short.
        """
        planetary = self.style is MapStyle.TEETH and isinstance(self.stage, PlanetaryStage)
        cycle = self.turns_per_map if planetary else 1
        turns = synchronous_average(self.angular_signal(recording), self.average, cycle)
        return self.layout(turns, recording)

    def angular_signal(self, recording: Recording) -> Floats64:
        """The signal resampled to equal steps of shaft angle, (turns, samples, sensors).

        Raises:
            MapError: The sensor does not exist, or the shaft angle cannot be tracked.
        """
        return resample_to_angle(recording, self.shaft_angle(recording), self.meshes * SAMPLES_PER_MESH)

    def shaft_angle(self, recording: Recording) -> Floats64:
        """Angle of the shaft in turns at every sample, (samples,); NaN where it is unknown.

        Raises:
            MapError: The sensor does not exist, or the shaft angle cannot be tracked.
        """
        sensors = recording.signal.shape[1]
        if self.sensor >= sensors:
            raise MapError(recording.path, f"has {sensors} sensor(s), none numbered {self.sensor + 1}")
        if recording.tacho is not None:
            return angle_from_tacho(recording)
        return angle_from_tone(recording, self.sensor, self.tone, self.speed)

    def layout(self, turns: Floats64, recording: Recording) -> Floats64:
        """Arrange an angular signal as maps, (maps, sensors, rows, columns).

        Raises:
            MapError: There are fewer turns than one map takes.
        """
        if len(turns) < self.turns_per_map:
            problem = f"{len(turns)} whole turns in it; one map takes {self.turns_per_map}"
            advice = "Give a longer recording, or fewer --turns or --average"
            raise MapError(recording.path, f"{problem}. {advice}")
        if self.style is MapStyle.ORDERS:
            bands = int(MAX_FREQUENCY * recording.rate / self.speed)
            return order_by_turn(turns, min(bands, self.meshes * SAMPLES_PER_MESH // 2), self.columns)
        if isinstance(self.stage, int):
            maps = tooth_by_turn(turns, self.stage, self.columns)
        else:
            maps = tooth_by_tooth(turns, self.stage)
        return maps if recording.tacho is not None else self._roll_to_random_tooth(maps, recording.path.name)

    def _roll_to_random_tooth(self, maps: Floats64, name: str) -> Floats64:
        """Begin every map at a random tooth.

        Without a tachometer each recording begins at an arbitrary tooth, which alone would separate normal
        from faulty recordings and pass for a fault.
        """
        rng = np.random.default_rng(crc32(name.encode()))
        circular = (-2, -1) if isinstance(self.stage, PlanetaryStage) else (-2,)
        for map_ in maps:  # (sensors, rows, columns); all sensors are rolled alike
            map_[:] = np.roll(map_, [int(rng.integers(map_.shape[axis])) for axis in circular], axis=circular)
        return maps
