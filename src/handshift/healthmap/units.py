"""In which unit an encoder sees a map."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.maps import Floats, MapKind

Unit = Literal["domain", "map"]
UNITS: tuple[Unit, ...] = ("domain", "map")
USUAL_LEVEL = 0.25
"""Mean of a map in its domain's unit, published and drawn alike."""


def in_unit(picture: NDArray[np.floating], profile: MapProfile, domain: str | None, unit: Unit) -> Floats:
    """Divide one map (channels, H, W); nothing is clipped.

    domain: by the largest training value of its domain, as the source's min-max scaling does, so that a run
    that is louder as a whole looks odd. map: by its own level, so that only what stands out within the map
    does. Pictures of 8 or 16 bits are 0…1 as they are read and stay so.
    """
    if profile.kind is not MapKind.FLOAT:
        return np.asarray(picture, np.float32)
    if unit == "map":
        return np.asarray(picture * (USUAL_LEVEL / max(float(np.abs(picture).mean()), 1e-12)), np.float32)
    known = profile.range_of(domain)
    return np.asarray(picture / (max(abs(known.low), abs(known.high)) or 1.0), np.float32)
