"""A map as a picture, plain and with its odd places laid over.

The maps that are shown as pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.maps import Floats
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.which_tooth import Attribution, Tooth, which_tooth
from handshift.report.data_uri import data_uri

WIDTH = 380  # pixels
Pixels = NDArray[np.uint8]


def map_picture(values: Floats, low: float, high: float) -> str:
    """Colours from ``low`` to ``high``, or the photograph as it is; values beyond keep the end's colour."""
    return data_uri(_fitted(_base(values, low, high, cv2.COLORMAP_CIVIDIS)), "png")


def overlay_picture(
    values: Floats, anomaly: Floats, low: float, high: float, odd: tuple[float, float]
) -> str:
    """The map in grey, under colours that are stronger the odder the pixel, from ``odd[0]`` to ``odd[1]``."""
    base = _base(values, low, high, None).astype(np.float32)
    share = _level(anomaly, *odd)
    heat = cv2.applyColorMap(np.rint(share * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)[:, :, ::-1]
    opacity = (0.85 * share)[:, :, None]
    mixed = (1 - opacity) * base + opacity * heat
    return data_uri(_fitted(np.rint(mixed).astype(np.uint8)), "png")


def _base(values: Floats, low: float, high: float, colours: int | None) -> Pixels:
    """RGB, H×W×3."""
    if values.ndim == 3:
        return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
    grey = np.rint(_level(values, low, high) * 255).astype(np.uint8)
    if colours is None:
        return np.repeat((grey // 2 + 40)[:, :, None], 3, axis=2)  # dim, so that the heat shows
    return np.asarray(cv2.applyColorMap(grey, colours)[:, :, ::-1], np.uint8)


def _level(values: Floats, low: float, high: float) -> NDArray[np.float32]:
    return np.asarray(np.clip((values - low) / max(high - low, 1e-12), 0, 1), np.float32)


def _fitted(rgb: Pixels) -> Pixels:
    """Shrink photographs; small maps stay as they are, and the browser shows their pixels as squares."""
    height, width = rgb.shape[:2]
    if width <= WIDTH:
        return np.ascontiguousarray(rgb)
    size = (WIDTH, max(1, round(height * WIDTH / width)))
    return np.asarray(cv2.resize(np.ascontiguousarray(rgb), size, interpolation=cv2.INTER_AREA), np.uint8)


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
