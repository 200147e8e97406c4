"""Tooth counts of a stage, and which teeth meet in its n-th mesh cycle."""

from __future__ import annotations

from math import gcd
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator


class PlanetaryStage(BaseModel):
    """A ring that stands still, planets on a carrier, a sun in the middle.

    In one turn of the carrier each planet passes all ``ring`` teeth: f_mesh = ring · f_carrier, the planet
    turns ring/planet times against the carrier, the sun 1 + ring/sun times against the housing.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sun: int = Field(default=31, ge=5)
    planet: int = Field(default=31, ge=5)
    ring: int = Field(default=95, ge=10)
    planets: int = Field(default=3, ge=1)

    @model_validator(mode="after")
    def _hunting(self) -> Self:
        if (shared := gcd(self.planet, self.ring)) > 1:
            raise ValueError(
                f"planet {self.planet} and ring {self.ring} share the factor {shared}: not every pair of "
                "teeth meets, so there is no map of all pairs"
            )
        return self

    @property
    def size(self) -> tuple[int, int]:
        """Rows (planet teeth) and columns (ring teeth) of the map, full after ``planet`` carrier turns."""
        return self.planet, self.ring

    def pixel(self, mesh: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Row n mod planet and column n mod ring of mesh cycles n; no two of planet·ring in turn coincide."""
        return mesh % self.planet, mesh % self.ring
