"""Finds seals: round stamps with an emblem, whose ring is broken or runs into what it holds."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.ink_blocks import ink_blocks
from handshift.page.word import Box

_COARSE = 4
"""Pixels of the page to one that seals are looked for in."""
_CLOSED, _OPENED = 3, 9
"""Pixels of that picture, across: white between the strokes of a seal, and what is thinner than a seal. Lines
of writing do not fill the white between them, and a single line is thinner."""
_SIDE, _LARGEST = 0.065, 0.25
"""Sides of a seal, in sides of the page."""
_ROUND, _FILLED = 1.4, 0.6
"""Greatest ratio of the sides, and least share of the box that is filled; a disc has π/4."""
_DARK = 0.27
"""Least share of ink in the box. Seals on seven wills have 0.28 to 0.32; what else is as large and compact on
18 pages by validation writers, words written over or close together, has 0.26 at most."""


def find_seals(mask: NDArray[np.uint8]) -> list[Box]:
    """Find discs that are filled with ink in both directions.

    Args:
        mask: 1 where a stroke is.
    """
    height, width = (side // _COARSE * _COARSE for side in mask.shape)
    if min(height, width) == 0:
        return []
    small = ink_blocks(mask[:height, :width], _COARSE, _COARSE).astype(np.uint8)
    closed = cv2.morphologyEx(small, cv2.MORPH_CLOSE, _disc(_CLOSED))
    filled = cv2.morphologyEx(closed, cv2.MORPH_OPEN, _disc(_OPENED))
    _, _, stats, _ = cv2.connectedComponentsWithStats(filled, connectivity=8)
    found = []
    for left, top, across, down, area in stats[1:].tolist():
        box = Box(*(_COARSE * side for side in (left, top, across, down)))
        ink = float(mask[box.y : box.y + box.height, box.x : box.x + box.width].mean())
        large = _SIDE * max(mask.shape) <= min(box.width, box.height)
        compact = max(across, down) <= _ROUND * min(across, down) and area >= _FILLED * across * down
        if large and compact and ink >= _DARK and max(box.width, box.height) <= _LARGEST * max(mask.shape):
            found.append(box)
    return found


def _disc(across: int) -> NDArray[np.uint8]:
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (across, across)), np.uint8)
