"""How much of a word is crossed by a zigzag: straight strokes that rise and fall in turn."""

from __future__ import annotations

from functools import lru_cache

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
    aside = down + 1  # no stroke reaches further to the side than down
    framed = cv2.copyMakeBorder(mask, down, down, aside, aside, cv2.BORDER_CONSTANT, value=0)
    rising, falling = (_places(framed, down, sign) for sign in (1, -1))
    order = np.argsort(np.concatenate([rising, falling]), kind="stable")
    kind = np.repeat([0, 1], [rising.size, falling.size])[order]
    turns = int(np.count_nonzero(np.diff(kind)))
    cover = float(np.ptp(falling)) / width if falling.size > 1 else 0.0
    return turns * height / width, cover


def _places(framed: Mask, down: int, sign: int) -> NDArray[np.float64]:
    """Columns of the straight strokes that rise (1) or fall (-1) over so many rows.

    Args:
        framed: The word with a margin as wide as the longest stroke.
        down: Rows of a stroke.
        sign: Its direction.
    """
    found = np.zeros_like(framed)
    for stroke in _strokes(down, sign):
        kept = cv2.erode(framed, stroke, borderType=cv2.BORDER_CONSTANT, borderValue=0)
        cv2.max(found, kept, dst=found)
    found = found[down:-down, down + 1 : -down - 1]
    if not cv2.hasNonZero(found):
        return np.zeros(0)
    return np.sort(cv2.connectedComponentsWithStats(found, connectivity=8)[3][1:, 0])


@lru_cache(maxsize=256)
def _strokes(down: int, sign: int) -> tuple[Mask, ...]:
    """Thin straight strokes at each angle."""
    strokes = []
    for angle in _ANGLES:
        across = max(1, round(down / float(np.tan(np.radians(angle)))))
        stroke = np.zeros((down + 1, across + 1), np.uint8)
        start, end = ((0, down), (across, 0)) if sign > 0 else ((0, 0), (across, down))
        strokes.append(cv2.line(stroke, start, end, 1, 1))
    return tuple(strokes)
