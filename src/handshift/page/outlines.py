"""Separates long single strokes, such as a line drawn round a text, from the writing that they touch."""

from __future__ import annotations

from collections.abc import Collection

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import Components, stroke_width
from handshift.page.frames import Frame
from handshift.page.ink import Ink
from handshift.page.stamps import belongs
from handshift.page.word import Box

_HIGH, _WIDE, _LOW = 2.5, 8.0, 1.2
"""Distances of lines: height of a component that is looked at, or its width and height."""
_WINDOW = 0.5
"""Side of the window in which ink is counted, in distances of lines: nearly two small letters."""
_ALONE = 1.55
"""Ink in the window up to which a stroke is alone there, relative to a straight stroke from side to side; a
slanting one has up to 1.41, letters two and more."""
_LONG = 1.5
"""Distances of lines that a stroke runs alone: a long descender runs less than one."""


def find_outlines(pieces: Components, spacing: float, frames: Collection[Frame]) -> list[Frame]:
    """Find the long single strokes of large components.

    Args:
        pieces: Connected components of a page.
        spacing: Distance of lines.
        frames: Rings, rectangles and seals; these, and what stands in them, are left out.

    Returns:
        One mark for each stroke, with its ink and the label of its component.
    """
    left, top, width, height, _ = pieces.stats.T
    wide = (width > _WIDE * spacing) & (height > _LOW * spacing)
    large = pieces.kept & ((height > _HIGH * spacing) | wide)
    found = []
    for label in np.flatnonzero(large):
        x, y, across, down = (int(side[label]) for side in (left, top, width, height))
        if any(belongs(Box(x, y, across, down), frame.box) for frame in frames):
            continue
        part = slice(y, y + down), slice(x, x + across)
        patch = ((pieces.labels[part] == label) & (pieces.mask[part] > 0)).astype(np.uint8)
        for box, ink in _long_strokes(patch, spacing):
            found.append(Frame(int(label), box._replace(x=x + box.x, y=y + box.y), ink=ink))
    return found


def _long_strokes(patch: NDArray[np.uint8], spacing: float) -> list[tuple[Box, Ink]]:
    """Boxes and pixels (255) of the strokes of a component that run alone for long."""
    side = max(5, round(_WINDOW * spacing)) | 1
    count = cv2.boxFilter(patch, cv2.CV_32F, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
    alone = patch * (count < _ALONE * side * stroke_width(patch)).astype(np.uint8)
    number, labels, stats, _ = cv2.connectedComponentsWithStats(alone, connectivity=8, ltype=cv2.CV_32S)
    strokes = []
    for label in range(1, number):
        x, y, across, down = (int(value) for value in stats[label, :4])
        if max(across, down) > _LONG * spacing:
            own = labels[y : y + down, x : x + across] == label
            strokes.append((Box(x, y, across, down), own.astype(np.uint8) * np.uint8(255)))
    return strokes


def without_outlines(ink: Ink, outlines: Collection[Frame]) -> Ink:
    """The ink map with these strokes and their soft edges erased."""
    ink = ink.copy()
    for outline in outlines:
        x, y, width, height = outline.box
        top, left = max(0, y - 1), max(0, x - 1)
        part = ink[top : y + height + 1, left : x + width + 1]
        own = np.zeros_like(part)
        assert outline.ink is not None
        own[y - top : y - top + height, x - left : x - left + width] = outline.ink
        part[cv2.dilate(own, np.ones((3, 3), np.uint8)) > 0] = 0
    return ink
