"""Rings and frames: large closed outlines, as of stamps and the boxes of forms, that hold other marks."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import Components
from handshift.page.word import Box

_WIDEST_LETTER = 3.0
"""Least side of a frame, in letter heights: a loop of a large letter is smaller."""
_HOLLOW = 0.42
"""Least share of its box that a frame encloses in one piece."""
_SPARSE = 0.055
"""Share of ink in its box below which a large mark is lines and not letters, such as a table."""
_ROUND = (0.7, 0.86)
"""Enclosed area over that of the rectangle around it: π/4 for an ellipse, 1 for a rectangle."""
_RULE = (3.2, 0.2)
"""Least height and greatest width of an upright rule, in letter heights; an l is lower or leans."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A large outline."""

    label: int
    """Of its connected component."""
    box: Box
    round: bool = False
    rule: bool = False
    """Whether it is a straight upright line, as between the columns of a form."""


def find_frames(pieces: Components, letters: float) -> list[Frame]:
    """Find the components that are outlines of something.

    Args:
        pieces: The connected components of a page.
        letters: Median letter height in pixels.
    """
    left, top, width, height, area = pieces.stats.T
    large = pieces.kept & (np.minimum(width, height) > _WIDEST_LETTER * letters)
    upright = pieces.kept & (height > _RULE[0] * letters) & (width <= np.maximum(3, _RULE[1] * letters))
    found = [
        Frame(int(label), Box(*(int(side[label]) for side in (left, top, width, height))), rule=True)
        for label in np.flatnonzero(upright)
    ]
    for label in np.flatnonzero(large):
        x, y, across, down = (int(side[label]) for side in (left, top, width, height))
        patch = (pieces.labels[y : y + down, x : x + across] == label) & (
            pieces.mask[y : y + down, x : x + across] > 0
        )
        enclosed, ratio = _enclosed(patch.astype(np.uint8))
        sparse = area[label] < _SPARSE * across * down
        if enclosed > _HOLLOW * across * down or sparse:
            is_round = enclosed > _HOLLOW * across * down and _ROUND[0] < ratio < _ROUND[1]
            found.append(Frame(int(label), Box(x, y, across, down), is_round))
    return found


def _enclosed(patch: NDArray[np.uint8]) -> tuple[float, float]:
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
