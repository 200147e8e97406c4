"""Each domain in its own unit: its largest training value is 1, and larger values stay larger."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handshift.healthmap.dataset import MapItem, MapProfile
from handshift.healthmap.maps import Floats, MapKind


def unit_of(profile: MapProfile, domain: str | None) -> float:
    """The largest training value of a domain, in size; 1 for pictures, which are 0…1 as they are read."""
    if profile.kind is not MapKind.FLOAT:
        return 1.0
    known = profile.range_of(domain)
    return max(abs(known.low), abs(known.high)) or 1.0


def in_units(pictures: Floats, items: Sequence[MapItem], profile: MapProfile) -> Floats:
    """Divide maps (N, …) by the units of their domains; never clipped."""
    units = np.array([unit_of(profile, item.domain) for item in items], np.float32)
    return pictures / units.reshape(-1, *[1] * (pictures.ndim - 1))
