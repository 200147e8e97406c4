"""Scaling of map values before encoding: raw, by domain, by map, or standardised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.health_map import Floats, MapKind
from handshift.healthmap.resizing import Resizing
from handshift.healthmap.standardisation import Standardisation

Unit = Literal["domain", "map", "raw", "standard"]
UNITS: tuple[Unit, ...] = ("domain", "map", "raw", "standard")
USUAL_LEVEL = 0.25
"""Mean of a map divided by its domain's maximum, in published and in simulated maps."""


@dataclass(frozen=True)
class MapScaling:
    """How the maps of a model are scaled.

    Attributes:
        unit: ``domain`` divides by the largest training value of the domain, as the source's min-max scaling
            does; a run that is louder as a whole then scores higher. ``map`` divides by the map's own mean.
            ``raw`` leaves the values. ``standard`` removes level, usual pixel, row and column levels and
            divides by the map's noise (`Standardisation`).
        profile: Of the training maps. Pictures of 8 or 16 bits are read as 0…1 and are not scaled.
        standardisation: For ``standard``.
    """

    unit: Unit
    profile: MapProfile
    standardisation: Standardisation | None = None

    def picture(self, planes: Floats, domain: str | None, resizing: Resizing) -> Floats:
        """Scale and resize one map; nothing is clipped.

        Standardisation needs the map's own rows and columns, so it precedes resizing.

        Args:
            planes: (channels, H, W).
            domain: Of the map; None if unknown.
            resizing: To the frame of the encoder.

        Returns:
            float32 (channels, *frame).
        """
        if self.standardisation is not None:
            return resizing.apply(self.standardisation.apply(planes, domain))
        return self._divided(resizing.apply(planes), domain)

    def _divided(self, picture: NDArray[np.floating], domain: str | None) -> Floats:
        if self.profile.kind is not MapKind.FLOAT or self.unit == "raw":
            return np.asarray(picture, np.float32)
        if self.unit == "map":
            level = max(float(np.abs(picture).mean()), 1e-12)
            return np.asarray(picture * (USUAL_LEVEL / level), np.float32)
        known = self.profile.range_of(domain)
        return np.asarray(picture / (max(abs(known.low), abs(known.high)) or 1.0), np.float32)
