"""The maps that are shown as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from handshift.healthmap.report.pictures import map_picture, overlay_picture
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.which_tooth import Attribution, Tooth, which_tooth

LONG, SHORT = 380.0, 46.0  # drawing units of a profile


@dataclass(frozen=True, slots=True)
class Card:
    """One map, drawn."""

    map: ScoredMap
    picture: str
    overlay: str
    rows: str
    columns: str
    """SVG points of the profiles of the anomaly map."""
    tooth: Tooth | None


def cards(maps: Sequence[ScoredMap]) -> list[Card]:
    """Draw maps, all of a domain with one scale, so that they can be compared."""
    scales = {
        domain: _scales([map_ for map_ in maps if map_.domain == domain])
        for domain in {map_.domain for map_ in maps}
    }
    return [_card(map_, *scales[map_.domain]) for map_ in maps]


def _card(map_: ScoredMap, values: tuple[float, float], odd: tuple[float, float]) -> Card:
    found: Attribution = which_tooth(map_.anomaly, None if map_.photograph else map_.values)
    return Card(
        map=map_,
        picture=map_picture(map_.values, *values),
        overlay=overlay_picture(map_.values, map_.anomaly, *values, odd),
        rows=_points(found.rows),
        columns=_points(found.columns),
        tooth=None if map_.photograph else found.tooth,
    )


def _scales(maps: Sequence[ScoredMap]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ends of the colours of values and of oddness; one pixel must not take the contrast of all others."""
    values = np.concatenate([map_.values.ravel() for map_ in maps])
    odd = np.concatenate([map_.anomaly.ravel() for map_ in maps])
    low, high = np.percentile(values, (0.5, 99.5))
    middle, most = np.percentile(odd, (50, 99.8))
    return (float(low), float(high)), (float(middle), float(most))


def _points(profile: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    """A line from left to right over the profile's own range, never less than that of a clear tooth."""
    top = max(float(profile.max()), 6.0)
    x = np.linspace(0, LONG, len(profile))
    y = SHORT * (1 - np.clip(profile, 0, top) / top)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
