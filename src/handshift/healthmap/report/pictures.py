"""A map as a picture, plain and with its odd places laid over."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.evidence.report.inline import data_uri
from handshift.healthmap.maps import Floats

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
