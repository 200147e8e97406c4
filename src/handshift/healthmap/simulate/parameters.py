"""Parameters of the simulated maps; docs/healthmaps.md gives the origin of each value."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handshift.core.errors import MapError
from handshift.core.loaders import LoadError, read_yaml
from handshift.healthmap.planetary_stage import PlanetaryStage


class Condition(StrEnum):
    """Temperature of the gearbox: the first half of a run is cold, the second warm."""

    COLD = "cold"
    WARM = "warm"


class _Parameters(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ConditionParameters(_Parameters):
    """One domain in one condition."""

    level: float = Field(gt=0, description="mean of a normal test map, in units of the raw maximum")
    column: float = Field(ge=0, description="sigma of the ring-tooth term of ln X")
    row: float = Field(ge=0, description="sigma of the planet-tooth term of ln X")
    pixel: float = Field(ge=0, description="sigma of the term of each pixel of ln X")
    fault: float = Field(ge=0, description="size of a fault's impacts, in levels")
    gain: float = Field(gt=-1, description="by how much the fault run is louder than the normal run")


class DomainParameters(_Parameters):
    """One sensor path and kind of signal."""

    sensor: int
    signal: str
    centre: float = Field(description="ring tooth before the sensor")
    raw_maximum: float = Field(gt=0, description="what 1 stands for in the recording's unit")
    drift: float = Field(ge=0, lt=1, description="by how much test normals lie below training")
    cold: ConditionParameters
    warm: ConditionParameters

    def condition(self, condition: Condition) -> ConditionParameters:
        """Parameters of one condition."""
        return self.cold if condition is Condition.COLD else self.warm


class MapSimulation(_Parameters):
    """The gearbox, parameters common to all maps, and the domains."""

    stage: PlanetaryStage = PlanetaryStage()
    image: float = Field(default=0.07, ge=0, description="sigma of the level of whole maps")
    column_correlation: float = Field(default=0.85, ge=0, le=1, description="of columns between two maps")
    row_correlation: float = Field(
        default=0.0, ge=0, le=1, description="of rows between two maps; 0 draws a tooth's level for every map"
    )
    sharpness: float = Field(default=4.0, ge=0, description="of the sensor's window")
    transients: float = Field(default=2.0, ge=0, description="impacts from outside, mean number per map")
    transient: float = Field(default=1.3, ge=0, description="their size, in levels")
    fault_spread: float = Field(default=0.0, ge=0, description="sigma of ln of the size of faults")
    domains: dict[str, DomainParameters] = Field(min_length=1)

    @classmethod
    def published(cls) -> Self:
        """The four domains as fitted to published statistics."""
        return cls.load(Path(__file__).with_name("published.yaml"))

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a YAML file.

        Raises:
            MapError: The file cannot be read, or a field is wrong; the message names it.
        """
        try:
            return cls.model_validate(read_yaml(path, "a YAML file"))
        except LoadError as error:
            raise MapError(path, error.problem) from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise MapError(path, f"{where or 'the file'}: {first['msg']}") from error
