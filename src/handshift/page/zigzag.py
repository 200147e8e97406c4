"""How much of a word is crossed by a zigzag: straight strokes that rise and fall in turn."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]
_HIGH, _LEAST = 0.42, 0.75
"""Height of the strokes of a zigzag, of the word's height, and at least, in letter sizes."""
_ANGLES = (45, 52, 59, 66, 73)


def zigzag(mask: Mask, size: float) -> tuple[float, float]:
    """Measure straight slanting strokes.

    Args:
        mask: 1 where a stroke is.
        size: Height of small letters.

    Returns:
        How often strokes that rise follow on strokes that fall or the other way round, along a piece of the
        word as wide as it is high; and the share of its width from the first stroke that falls to the last:
        in writing nearly all strokes slant one way.
    """
    height, width = mask.shape
    down = max(5, round(max(_HIGH * height, _LEAST * size)))
    rising, falling = (_places(mask, down, sign) for sign in (1, -1))
    order = np.argsort(np.concatenate([rising, falling]), kind="stable")
    kind = np.repeat([0, 1], [rising.size, falling.size])[order]
    turns = int(np.count_nonzero(np.diff(kind)))
    cover = float(np.ptp(falling)) / width if falling.size > 1 else 0.0
    return turns * height / width, cover


def _places(mask: Mask, down: int, sign: int) -> NDArray[np.float64]:
    """Columns of the straight strokes that rise (1) or fall (-1) over so many rows."""
    found = np.zeros_like(mask)
    for angle in _ANGLES:
        across = max(1, round(down / float(np.tan(np.radians(angle)))))
        stroke = np.zeros((down + 1, across + 1), np.uint8)
        start, end = ((0, down), (across, 0)) if sign > 0 else ((0, 0), (across, down))
        cv2.line(stroke, start, end, 1, 1)
        framed = cv2.copyMakeBorder(mask, down, down, across, across, cv2.BORDER_CONSTANT, value=0)
        kept = cv2.erode(framed, stroke, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        cv2.max(found, kept[down:-down, across:-across], dst=found)
    return np.sort(cv2.connectedComponentsWithStats(found, connectivity=8)[3][1:, 0])
