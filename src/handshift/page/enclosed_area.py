"""How much paper an outline encloses."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

HOLLOW = 0.42
"""Least share of its box that a frame encloses in one piece."""


def enclosed_area(patch: NDArray[np.uint8]) -> tuple[float, float]:
    """Area of the largest region that the outline encloses, and its share of the rectangle around it."""
    closed = cv2.copyMakeBorder(patch, 3, 3, 3, 3, cv2.BORDER_CONSTANT, value=0)
    closed = cv2.morphologyEx(closed, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    outlines, levels = cv2.findContours(closed, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    holes = (
        [outline for outline, level in zip(outlines, levels[0], strict=True) if level[3] >= 0]
        if outlines
        else []
    )
    if not holes:
        return 0.0, 0.0
    largest = max(holes, key=cv2.contourArea)
    area = float(cv2.contourArea(largest))
    _, sides, _ = cv2.minAreaRect(largest)
    return area, area / max(1.0, sides[0] * sides[1])
