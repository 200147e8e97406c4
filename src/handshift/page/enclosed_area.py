"""How much paper an outline encloses."""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

HOLLOW = 0.42
"""Least share of its box that a frame encloses in one piece."""


class Enclosed(NamedTuple):
    """The largest region that an outline encloses."""

    area: float
    ratio: float
    """Share of the rectangle around it."""
    ellipse: float
    """Area that it shares with the ellipse of the same moments, over that of both together."""


def enclosed_area(patch: NDArray[np.uint8]) -> Enclosed:
    """Measure the largest region that the outline encloses; zeros without any."""
    closed = cv2.copyMakeBorder(patch, 3, 3, 3, 3, cv2.BORDER_CONSTANT, value=0)
    closed = cv2.morphologyEx(closed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    outlines, levels = cv2.findContours(closed, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    holes = (
        [outline for outline, level in zip(outlines, levels[0], strict=True) if level[3] >= 0]
        if outlines
        else []
    )
    if not holes:
        return Enclosed(0.0, 0.0, 0.0)
    largest = max(holes, key=cv2.contourArea)
    area = float(cv2.contourArea(largest))
    _, sides, _ = cv2.minAreaRect(largest)
    return Enclosed(area, area / max(1.0, sides[0] * sides[1]), _like_ellipse(largest, closed.shape))


def _like_ellipse(outline: NDArray[np.int32], shape: tuple[int, ...]) -> float:
    filled = cv2.drawContours(np.zeros(shape, np.uint8), [outline], 0, 1, cv2.FILLED)
    moments = cv2.moments(outline)
    if moments["m00"] <= 0:
        return 0.0
    spread = (
        np.array([[moments["mu20"], moments["mu11"]], [moments["mu11"], moments["mu02"]]]) / moments["m00"]
    )
    values, vectors = np.linalg.eigh(spread)
    axes = 2 * np.sqrt(np.maximum(values, 0.0))  # half axes, the shorter one first
    centre = (moments["m10"] / moments["m00"], moments["m01"] / moments["m00"])
    angle = float(np.degrees(np.arctan2(vectors[1, 1], vectors[0, 1])))
    ellipse = np.zeros(shape, np.uint8)
    sizes = (round(float(axes[1])), round(float(axes[0])))
    cv2.ellipse(ellipse, (round(centre[0]), round(centre[1])), sizes, angle, 0, 360, 1, cv2.FILLED)
    return float(cv2.countNonZero(filled & ellipse) / max(1, cv2.countNonZero(filled | ellipse)))
