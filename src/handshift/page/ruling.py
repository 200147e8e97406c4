"""Printed lines and squares under the writing, found and taken away."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]

_RUN = 0.035
"""A ruling's straight runs are longer than this share of the page's width; pen strokes' seldom are."""
_COVER = 0.35
"""A ruling covers at least this share of the page from side to side, a t-bar or an underline does not."""


def rulings(mask: Mask) -> Mask:
    """1 on printed lines in either direction, except where a stroke crosses them; all 0 on plain paper."""
    level = _long_lines(mask)
    upright = np.ascontiguousarray(_long_lines(np.ascontiguousarray(mask.T)).T)
    found = cv2.max(level, upright)
    if not found.any():
        return found
    ink = cv2.subtract(mask, found)
    return cv2.subtract(found, cv2.min(_crossings(ink, found), found))


def _long_lines(mask: Mask) -> Mask:
    """Nearly level lines, as thick as they are printed."""
    width = mask.shape[1]
    if not _may_be_ruled(mask):
        return np.zeros_like(mask)
    run = max(24, int(_RUN * width))
    # Scans break thin lines; bridging small gaps first lets their straight runs show.
    bridged = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((1, 5), np.uint8))
    runs = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, np.ones((1, run), np.uint8))
    if not runs.any():
        return np.zeros_like(mask)
    # Runs of one slightly sloping line lie end to end a pixel apart: joined, they span the page.
    joined = cv2.dilate(runs, np.ones((3, 2 * run), np.uint8))
    count, labels, _, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    columns = np.zeros((count, width), bool)
    rows_at, columns_at = np.nonzero(runs)
    columns[labels[rows_at, columns_at], columns_at] = True
    covered = columns.sum(axis=1) >= _COVER * width
    covered[0] = False
    if not covered.any():
        return np.zeros_like(mask)
    lines = cv2.dilate(runs * covered.astype(np.uint8)[labels], np.ones((3, 3), np.uint8))
    return cv2.min(lines, mask)


def _may_be_ruled(mask: Mask) -> bool:
    """A quick look that spares plain paper the search: rows that are full in many of 48 blocks."""
    height, width = mask.shape
    blocks = cv2.resize(mask * np.uint8(255), (min(48, width), height), interpolation=cv2.INTER_AREA)
    # A line that slopes a little is full in neighbouring rows of neighbouring blocks.
    full = cv2.dilate((blocks > 215).astype(np.uint8), np.ones((9, 1), np.uint8))
    return bool(full.mean(axis=1).max(initial=0) >= 0.6 * _COVER)


def _crossings(ink: Mask, lines: Mask) -> Mask:
    """Where ink lies on both sides of a line: the stroke that passes through it."""
    reach = 5
    up = cv2.dilate(ink, np.ones((reach, 1), np.uint8), anchor=(0, 0))
    down = cv2.dilate(ink, np.ones((reach, 1), np.uint8), anchor=(0, reach - 1))
    left = cv2.dilate(ink, np.ones((1, reach), np.uint8), anchor=(0, 0))
    right = cv2.dilate(ink, np.ones((1, reach), np.uint8), anchor=(reach - 1, 0))
    through = cv2.max(cv2.min(up, down), cv2.min(left, right))
    return cv2.min(through, lines)
