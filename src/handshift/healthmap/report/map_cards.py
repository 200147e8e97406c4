"""Pictures of maps for the report: false colours, anomaly overlay, row and column profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.health_map import Floats
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.which_tooth import Attribution, Tooth, which_tooth
from handshift.report.data_uri import data_uri

WIDTH = 380  # pixels
Pixels = NDArray[np.uint8]


def map_picture(values: Floats, low: float, high: float) -> Pixels:
    """RGB of the map in false colours from ``low`` to ``high``, values beyond clamped, or the photograph."""
    return _fitted(_base(values, low, high, cv2.COLORMAP_CIVIDIS))


def overlay_picture(
    values: Floats, anomaly: Floats, low: float, high: float, anomaly_range: tuple[float, float]
) -> Pixels:
    """The map in grey under a heat map of the anomaly; opacity rises over ``anomaly_range``: RGB."""
    base = _base(values, low, high, None).astype(np.float32)
    share = _level(anomaly, *anomaly_range)
    heat = cv2.applyColorMap(np.rint(share * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)[:, :, ::-1]
    opacity = (0.85 * share)[:, :, None]
    mixed = (1 - opacity) * base + opacity * heat
    return _fitted(np.rint(mixed).astype(np.uint8))


def _base(values: Floats, low: float, high: float, colours: int | None) -> Pixels:
    """RGB, H×W×3."""
    if values.ndim == 3:
        return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)
    grey = np.rint(_level(values, low, high) * 255).astype(np.uint8)
    if colours is None:
        return np.repeat((grey // 2 + 40)[:, :, None], 3, axis=2)  # dim, so that the heat map is visible
    return np.asarray(cv2.applyColorMap(grey, colours)[:, :, ::-1], np.uint8)


def _level(values: Floats, low: float, high: float) -> NDArray[np.float32]:
    return np.asarray(np.clip((values - low) / max(high - low, 1e-12), 0, 1), np.float32)


def _fitted(rgb: Pixels) -> Pixels:
    """Shrink photographs; small maps keep their size and are enlarged by the browser, pixel by pixel."""
    height, width = rgb.shape[:2]
    if width <= WIDTH:
        return np.ascontiguousarray(rgb)
    size = (WIDTH, max(1, round(height * WIDTH / width)))
    return np.asarray(cv2.resize(np.ascontiguousarray(rgb), size, interpolation=cv2.INTER_AREA), np.uint8)


LONG, SHORT = 380.0, 46.0  # drawing units of a profile


@dataclass(frozen=True, slots=True)
class Card:
    """Pictures and profiles of one map."""

    map: ScoredMap
    picture: str
    overlay: str
    rows: str
    columns: str
    """SVG points of the row and column z-scores."""
    tooth: Tooth | None


def cards(maps: Sequence[ScoredMap]) -> list[Card]:
    """Draw maps; all maps of a domain share one colour scale."""
    scales = {
        domain: colour_scales([map_ for map_ in maps if map_.domain == domain])
        for domain in {map_.domain for map_ in maps}
    }
    return [_card(map_, *scales[map_.domain]) for map_ in maps]


def _card(map_: ScoredMap, values: tuple[float, float], anomaly: tuple[float, float]) -> Card:
    found: Attribution = which_tooth(map_.anomaly, None if map_.photograph else map_.values)
    return Card(
        map=map_,
        picture=data_uri(map_picture(_shown(map_), *values), "png"),
        overlay=data_uri(overlay_picture(map_.values, map_.anomaly, *values, anomaly), "png"),
        rows=_points(found.rows),
        columns=_points(found.columns),
        tooth=None if map_.photograph else found.tooth,
    )


def _shown(map_: ScoredMap) -> Floats:
    """The values of a map; a grey photograph as RGB, so that it stays grey."""
    if map_.photograph and map_.values.ndim == 2:
        return np.repeat(map_.values[:, :, None], 3, axis=2)
    return map_.values


def colour_scales(maps: Sequence[ScoredMap]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Colour ranges of values and anomaly, by percentiles: one pixel must not determine the contrast."""
    values = np.concatenate([map_.values.ravel() for map_ in maps])
    anomaly = np.concatenate([map_.anomaly.ravel() for map_ in maps])
    low, high = np.percentile(values, (0.5, 99.5))
    middle, most = np.percentile(anomaly, (50, 99.8))
    return (float(low), float(high)), (float(middle), float(most))


def _points(profile: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str:
    """Polyline of a profile, scaled to its maximum or to 6 σ if that is larger."""
    top = max(float(profile.max()), 6.0)
    x = np.linspace(0, LONG, len(profile))
    y = SHORT * (1 - np.clip(profile, 0, top) / top)
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))
