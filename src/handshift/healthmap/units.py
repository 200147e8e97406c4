"""Scaling of map values before encoding."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.dataset import MapProfile
from handshift.healthmap.health_map import Floats, MapKind

Unit = Literal["domain", "map"]
UNITS: tuple[Unit, ...] = ("domain", "map")
USUAL_LEVEL = 0.25
"""Mean of a map divided by its domain's maximum, in published and in simulated maps."""


def scale_to_unit(
    picture: NDArray[np.floating], profile: MapProfile, domain: str | None, unit: Unit
) -> Floats:
    """Scale one map; nothing is clipped.

    Args:
        picture: (channels, H, W).
        profile: Of the training maps. Pictures of 8 or 16 bits are read as 0…1 and are not scaled.
        domain: Of the map; None if unknown.
        unit: ``domain`` divides by the largest training value of the domain, as the source's min-max scaling
            does; a run that is louder as a whole then scores higher. ``map`` divides by the map's own mean.

    Returns:
        The scaled map, float32 (channels, H, W).
    """
    if profile.kind is not MapKind.FLOAT:
        return np.asarray(picture, np.float32)
    if unit == "map":
        return np.asarray(picture * (USUAL_LEVEL / max(float(np.abs(picture).mean()), 1e-12)), np.float32)
    known = profile.range_of(domain)
    return np.asarray(picture / (max(abs(known.low), abs(known.high)) or 1.0), np.float32)
