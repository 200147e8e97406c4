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
_HIDDEN_COVER, _KNOWN_RULED = 0.07, 3
"""With this many lines in plain sight, another needs to show only so much."""
_THICKNESS = 0.0055
"""Of the page's width: printed lines are thinner than this."""


def rulings(mask: Mask) -> Mask:
    """1 on printed lines in either direction, except where a stroke crosses them; all 0 on plain paper."""
    level = _long_lines(mask)
    upright = _long_lines(np.ascontiguousarray(mask.T))
    return cv2.max(level, np.ascontiguousarray(upright.T))


def _long_lines(mask: Mask) -> Mask:
    """Nearly level lines, as thick as they are printed."""
    width = mask.shape[1]
    if not _may_be_ruled(mask):
        return np.zeros_like(mask)
    run = max(24, int(_RUN * width))
    thick = max(4, int(_THICKNESS * width))
    # What is thicker is writing: strokes that cross a line, or close letters that run on like one.
    thin = cv2.subtract(mask, cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((thick, 1), np.uint8)))
    # Scans break thin lines; bridging small gaps first lets their straight runs show.
    bridged = cv2.morphologyEx(thin, cv2.MORPH_CLOSE, np.ones((1, 5), np.uint8))
    runs = cv2.morphologyEx(bridged, cv2.MORPH_OPEN, np.ones((1, run), np.uint8))
    return cv2.min(_paths(runs, run, thick), thin)


def _paths(runs: Mask, run: int, thick: int) -> Mask:
    """Whole lines drawn through the runs that lie end to end, also where writing hides them."""
    width = runs.shape[1]
    # Runs of one slightly sloping line lie a pixel apart: joined, they span the page.
    joined = cv2.dilate(runs, np.ones((3, 2 * run), np.uint8))
    count, labels, _, _ = cv2.connectedComponentsWithStats(joined, connectivity=8)
    rows, columns = np.nonzero(runs)
    at = labels[rows, columns].astype(np.int64) * width + columns
    weight = np.bincount(at, minlength=count * width).reshape(count, width)
    total = np.bincount(at, weights=rows, minlength=count * width).reshape(count, width)
    paths = np.zeros_like(runs)
    every = np.arange(width)
    cover = (weight > 0).sum(axis=1) / width
    # On paper known to be ruled, lines mostly hidden by writing are believed on less.
    ruled = (cover >= _COVER).sum() >= _KNOWN_RULED
    for line in np.flatnonzero(cover >= (_HIDDEN_COVER if ruled else _COVER)):
        known = np.flatnonzero(weight[line])
        height = np.interp(every, known, total[line, known] / weight[line, known])
        points = np.column_stack([every, np.rint(height)]).astype(np.int32)
        cv2.polylines(paths, [points], isClosed=False, color=1, thickness=thick)
    return paths


def _may_be_ruled(mask: Mask) -> bool:
    """A quick look that spares plain paper the search: rows that are full in many of 48 blocks."""
    height, width = mask.shape
    blocks = cv2.resize(mask * np.uint8(255), (min(48, width), height), interpolation=cv2.INTER_AREA)
    # A line that slopes a little is full in neighbouring rows of neighbouring blocks.
    full = cv2.dilate((blocks > 215).astype(np.uint8), np.ones((9, 1), np.uint8))
    return bool(full.mean(axis=1).max(initial=0) >= 0.6 * _COVER)
