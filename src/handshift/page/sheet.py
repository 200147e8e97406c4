"""Finds the sheet of paper on a photo or a scan that shows more than the sheet."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.view import Corner

Image = NDArray[np.uint8]
Mask = NDArray[np.uint8]
Quad = NDArray[np.float32]

_COARSE = 640
"""Pixels of the long side on which the sheet is looked for."""
_LEVELS = (1.0, 0.8, 0.62)
"""Tried beside Otsu's threshold: a shadow makes part of the sheet as dark as a bright table."""
_LEAST, _MOST = 0.15, 0.97
"""Share of the picture that a sheet covers; more is a scan of the sheet itself."""
_FILLED = 0.93
"""Least overlap (intersection over union) of the bright region and the quadrilateral fitted to it."""
_STEP = 22.0
"""Least fall of brightness across a visible edge of the sheet, of 255."""
_SIDES = 3
"""Edges that must be visible, one may be that of the picture: the border of a shadow is one edge, or two."""
_INSET = 0.006
"""What is cut off along the edges, of the sheet's size, so that the edge itself is not taken for a stroke."""


def find_sheet(image: Image) -> tuple[Corner, Corner, Corner, Corner] | None:
    """Find the four corners of the sheet.

    The picture is divided into bright and dark by several thresholds; the largest bright region is accepted
    as the sheet if a quadrilateral fits it whose edges are visible against a darker ground.

    Args:
        image: RGB pixels, height × width × 3.

    Returns:
        Corners (x, y), clockwise from the upper left; None where the whole picture is the sheet.
    """
    scale = min(1.0, _COARSE / max(image.shape[:2]))
    size = (max(1, round(image.shape[1] * scale)), max(1, round(image.shape[0] * scale)))
    if min(size) < 40:
        return None
    small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
    red, green, blue = cv2.split(small)
    bright = cv2.medianBlur(cv2.max(cv2.max(red, green), blue), 7)
    if not _ground_may_show(bright):
        return None
    # A table of wood has little blue, which paper in a shadow as dark as the table has.
    darkest = cv2.medianBlur(cv2.min(cv2.min(red, green), blue), 7)
    found = [*_sheets(bright), *_sheets(darkest)]
    if not found:
        return None
    # The largest: the lit part of a sheet in a shadow may pass for a sheet.
    quad = max(found, key=cv2.contourArea)
    inner = quad + _INSET * 2 * (quad.mean(axis=0) - quad)
    one, two, three, four = ((float(x), float(y)) for x, y in _clockwise(inner) / scale)
    return one, two, three, four


def _sheets(bright: Mask) -> list[Quad]:
    """The sheet as it is found with each threshold."""
    otsu, _ = cv2.threshold(bright, 0, 1, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    return [quad for level in _LEVELS if (quad := _sheet_above(bright, otsu * level)) is not None]


def _ground_may_show(bright: Mask) -> bool:
    """Quick test that spares scans the search: somewhere along its border the picture is much darker."""
    border = np.concatenate([bright[0], bright[-1], bright[:, 0], bright[:, -1]])
    return bool(np.percentile(bright, 75) - np.percentile(border, 12) > 1.5 * _STEP)


def _sheet_above(bright: Mask, level: float) -> Quad | None:
    """The sheet as the largest region brighter than `level`, if it passes all tests."""
    mask = (bright > level).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((9, 9), np.uint8))
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return None
    outline = max(outlines, key=cv2.contourArea)
    quad = _quadrilateral(outline)
    if quad is None:
        return None
    whole, inside = np.zeros_like(mask), np.zeros_like(mask)
    cv2.drawContours(whole, [outline], -1, 1, cv2.FILLED)
    cv2.fillConvexPoly(inside, np.rint(quad).astype(np.int32), 1)
    share = float(inside.mean())
    overlap = float((whole & inside).sum()) / max(1.0, float((whole | inside).sum()))
    if not _LEAST < share < _MOST or overlap < _FILLED:
        return None
    seen, hidden = _edges(bright, quad)
    return quad if seen >= _SIDES and hidden == 0 else None


def _quadrilateral(outline: NDArray[np.int32]) -> Quad | None:
    """Four corners of the outline's hull, or None where it has another shape."""
    hull = cv2.convexHull(outline)
    around = cv2.arcLength(hull, True)
    for tolerance in (0.01, 0.02, 0.03, 0.05, 0.08):
        corners = cv2.approxPolyDP(hull, tolerance * around, True)
        if len(corners) == 4:
            return np.asarray(corners[:, 0], np.float32)
    return None


def _edges(bright: Mask, quad: Quad) -> tuple[int, int]:
    """How many edges have darker ground beyond them, and how many have not; the picture's own are neither."""
    centre, seen, hidden = quad.mean(axis=0), 0, 0
    height, width = bright.shape
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        along = start + np.linspace(0.1, 0.9, 33)[:, None] * (end - start)
        normal = np.array([end[1] - start[1], start[0] - end[0]])
        normal /= max(float(np.linalg.norm(normal)), 1e-6)
        if normal @ (along.mean(axis=0) - centre) < 0:
            normal = -normal
        outer, inner = np.rint(along + 7 * normal).astype(int), np.rint(along - 7 * normal).astype(int)
        shown = ((outer >= 0) & (outer < (width, height))).all(axis=1)
        shown &= ((inner >= 0) & (inner < (width, height))).all(axis=1)
        if shown.mean() < 0.5:
            continue
        step = (
            bright[inner[shown, 1], inner[shown, 0]].astype(float) - bright[outer[shown, 1], outer[shown, 0]]
        )
        visible = float(np.median(step)) > _STEP
        seen, hidden = seen + visible, hidden + (not visible)
    return seen, hidden


def _clockwise(quad: Quad) -> Quad:
    """Corners from the upper left one."""
    centre = quad.mean(axis=0)
    order = np.argsort(np.arctan2(quad[:, 1] - centre[1], quad[:, 0] - centre[0]))
    quad = quad[order]  # from the left, clockwise as y grows downwards
    first = int(np.argmin(quad.sum(axis=1)))
    return np.asarray(np.roll(quad, -first, axis=0), np.float32)
