"""Description of recordings in YAML: sampling rate, sensors, tachometer and gear data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from handshift.core.errors import MapError
from handshift.core.loaders import LoadError, read_yaml
from handshift.healthmap.vibration.channels import Floats64


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Tacho(_Section):
    """A channel with tacho pulses."""

    channel: str
    kind: Literal["signal", "times"] = Field(default="signal", description="sampled pulses, or their times")
    threshold: float | None = Field(default=None, description="of a rising edge; half the range if not given")
    pulses_per_turn: int = Field(default=1, ge=1)

    def pulses(self, values: Floats64, rate: float) -> Floats64:
        """Times in seconds of one pulse per turn, interpolated between samples."""
        if self.kind == "times":
            return values[:: self.pulses_per_turn]
        middle = (float(values.min()) + float(values.max())) / 2
        level = middle if self.threshold is None else self.threshold
        before = np.flatnonzero((values[:-1] < level) & (values[1:] >= level))
        part = (level - values[before]) / (values[before + 1] - values[before])
        return np.asarray((before + part) / rate, np.float64)[:: self.pulses_per_turn]


class Gear(_Section):
    """Options of `maps build` that describe the machine."""

    teeth: int | tuple[int, int] | None = Field(default=None, description="of the pinion, or planet and ring")
    planets: int | None = Field(default=None, ge=1)
    speed: float | None = Field(default=None, gt=0, description="turns per second")
    order: float | None = Field(default=None, gt=0)
    sensor: int | None = Field(default=None, ge=1)


class RecordingDescription(_Section):
    """What the files do not say themselves.

    Attributes:
        sample_rate: Samples per second; a rate that the file stores comes first.
        sensors: Names of the channels to use, in this order; all if None.
        tacho: Channel with tacho pulses.
        gear: Of the machine.
    """

    sample_rate: float | None = Field(default=None, gt=0)
    sensors: tuple[str, ...] | None = None
    tacho: Tacho | None = None
    gear: Gear = Gear()

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a YAML file.

        Raises:
            MapError: The file cannot be read, or a field is unknown or wrong; the message names it.
        """
        try:
            return cls.model_validate(read_yaml(path, "a YAML file") or {})
        except LoadError as error:
            raise MapError(path, error.problem) from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise MapError(path, f"{where or 'the file'}: {first['msg']}") from error
