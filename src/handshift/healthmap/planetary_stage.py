"""Kinematics of a planetary gear stage: tooth numbers and the pixel of each mesh cycle."""

from __future__ import annotations

from math import gcd
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator


class PlanetaryStage(BaseModel):
    """A planetary stage with a fixed ring.

    In one turn of the carrier each planet meshes with all ``ring`` teeth: f_mesh = ring · f_carrier, the
    planet turns ring/planet times relative to the carrier, the sun 1 + ring/sun times relative to the
    housing.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sun: int = Field(default=31, ge=5)
    planet: int = Field(default=31, ge=5)
    ring: int = Field(default=95, ge=10)
    planets: int = Field(default=3, ge=1)

    @model_validator(mode="after")
    def _coprime(self) -> Self:
        if (shared := gcd(self.planet, self.ring)) > 1:
            raise ValueError(
                f"planet {self.planet} and ring {self.ring} share the factor {shared}: not every pair of "
                "teeth meets, so there is no map of all pairs"
            )
        return self

    @property
    def size(self) -> tuple[int, int]:
        """Rows (planet teeth) and columns (ring teeth) of the map, filled in ``planet`` carrier turns."""
        return self.planet, self.ring

    def pixel(self, mesh: NDArray[np.integer]) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
        """Pixel of mesh cycle n: row n mod planet, column n mod ring.

        The tooth numbers are coprime, so planet·ring consecutive cycles fall on different pixels.
        """
        return mesh % self.planet, mesh % self.ring
