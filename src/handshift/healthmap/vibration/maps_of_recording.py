"""One recording becomes its maps."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import ceil
from zlib import crc32

import numpy as np

from handshift.core.errors import MapError
from handshift.healthmap.gears import PlanetaryStage
from handshift.healthmap.vibration.order_tracking import angle_from_tacho, angle_from_tone, over_angle
from handshift.healthmap.vibration.recording import Floats64, Recording
from handshift.healthmap.vibration.tooth_maps import (
    SAMPLES_PER_MESH,
    order_by_turn,
    synchronous_average,
    tooth_by_tooth,
    tooth_by_turn,
)

HEARD = 0.45
"""Of the sampling rate: orders above it are only the resampling's own noise."""


class MapStyle(StrEnum):
    """What a pixel of the map is."""

    TEETH = "teeth"
    """Tooth × tooth of a planetary stage, tooth × turn of a parallel one."""
    ORDERS = "orders"
    """Order band × turn."""


@dataclass(frozen=True, slots=True)
class MapMaker:
    """How recordings are turned into maps."""

    stage: PlanetaryStage | int
    """A planetary stage, or the teeth of the pinion of a parallel one."""
    speed: float
    """Turns of the carrier or the pinion a second, to within 3 %."""
    style: MapStyle = MapStyle.TEETH
    columns: int = 10
    """Turns in one map, where its columns are turns."""
    order: float | None = None
    """Order of the tone that is followed where there is no tachometer; chosen by the stage if not given."""
    sensor: int = 0
    """The one, from 0, that hears this tone best."""
    average: int = 1
    """Cycles of the teeth whose mean is laid out: of one turn, or of as many as a tooth × tooth map takes."""

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
    def tone(self) -> float:
        """The order followed: the mesh, or the line next to it that the planets of a stage leave standing."""
        if self.order is not None:
            return self.order
        if isinstance(self.stage, int):
            return self.stage
        return ceil(self.stage.ring / self.stage.planets) * self.stage.planets

    def maps(self, recording: Recording) -> Floats64:
        """All whole maps of a recording in order of time, (maps, sensors, rows, columns)."""
        planetary = self.style is MapStyle.TEETH and isinstance(self.stage, PlanetaryStage)
        cycle = self.turns_per_map if planetary else 1
        turns = synchronous_average(self.over_turns(recording), self.average, cycle)
        return self.laid_out(turns, recording)

    def over_turns(self, recording: Recording) -> Floats64:
        """The signal over angle, (turns, samples, sensors)."""
        sensors = recording.signal.shape[1]
        if self.sensor >= sensors:
            raise MapError(recording.path, f"has {sensors} sensor(s), none numbered {self.sensor + 1}")
        if recording.tacho is not None:
            angle = angle_from_tacho(recording)
        else:
            angle = angle_from_tone(recording, self.sensor, self.tone, self.speed)
        return over_angle(recording, angle, self.meshes * SAMPLES_PER_MESH)

    def laid_out(self, turns: Floats64, recording: Recording) -> Floats64:
        """Maps of a signal over angle, (maps, sensors, rows, columns)."""
        if len(turns) < self.turns_per_map:
            problem = f"{len(turns)} whole turns in it; one map takes {self.turns_per_map}"
            advice = "Give a longer recording, or fewer --turns or --average"
            raise MapError(recording.path, f"{problem}. {advice}")
        if self.style is MapStyle.ORDERS:
            heard = int(HEARD * recording.rate / self.speed)
            return order_by_turn(turns, min(heard, self.meshes * SAMPLES_PER_MESH // 2), self.columns)
        if isinstance(self.stage, int):
            maps = tooth_by_turn(turns, self.stage, self.columns)
        else:
            maps = tooth_by_tooth(turns, self.stage)
        return maps if recording.tacho is not None else self._turned(maps, recording.path.name)

    def _turned(self, maps: Floats64, name: str) -> Floats64:
        """Begin every map at a tooth of its own.

        Without a tachometer each recording begins at some tooth or other. Left so, that alone would tell one
        recording from another, and pass for a fault.
        """
        rng = np.random.default_rng(crc32(name.encode()))
        around = (-2, -1) if isinstance(self.stage, PlanetaryStage) else (-2,)
        for map_ in maps:  # (sensors, rows, columns), which all heard the same teeth
            map_[:] = np.roll(map_, [int(rng.integers(map_.shape[axis])) for axis in around], axis=around)
        return maps
