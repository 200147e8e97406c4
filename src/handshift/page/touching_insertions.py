"""Cuts insertions loose that touch the line they were squeezed in beside."""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.strokes import Strokes

Mask = NDArray[np.uint8]
Heights = NDArray[np.float32]
Sides = NDArray[np.int8]
_LEAST = 4.0
_ROUNDS, _STRAIGHT = 8, 0.15
"""Rounds of the fit to a line's middle, and the median deviation up to which it holds, in letter sizes."""
_ZONE = (0.8, 2.6)
"""Between which heights over the middle of a line an insertion lies, in letter sizes."""
_BODY, _REACH = 1.2, 3.6
"""How far the ink of a line is looked at, on the other side of its middle and on that of the insertion."""
_CUTS = (0.6, 0.75, 0.9, 1.05, 1.2)
"""Heights at which an insertion is cut off, in letter sizes; the one that leaves most of it is taken."""
_BESIDE = 0.5
"""Share of an insertion's columns in which the line has letters too."""
_GAP = 2.5
"""Letter sizes between the letters of one insertion at most."""
_LONG, _COVERED = 4.0, 0.6
"""Least width of an insertion, in letter sizes, and share of it that its letters cover."""
_SMALL = 0.3
"""Least side of a letter that stands free, in letter sizes."""
_JOINED, _CONTACT, _DENSE = 1.2, 0.3, 1.3
"""A piece that touches the line: least width in letter sizes, share of that width where it may touch, and
strokes in a column. An ascender is narrower, a capital touches along more of its width, and the bar of a t
has one stroke in a column."""


def cut_insertions(strokes: Strokes, size: float) -> tuple[Strokes, Sides]:
    """Divide strokes that join an insertion to the letters of a line.

    Above and below each line, whatever is wide, dense and hardly tied to the line becomes strokes of its own;
    ascenders, descenders and capitals stay whole.

    Args:
        strokes: Strokes by line.
        size: Height of small letters.

    Returns:
        The strokes, with more of them where something was cut, and of each stroke whether it is part of an
        insertion below (−1) or above (1) its line.
    """
    level = smooth_heights(strokes, size)
    side_of = np.zeros(strokes.rows.size, np.int8)
    for line in np.unique(strokes.line) if size >= _LEAST else ():
        own = np.flatnonzero(strokes.line == line)
        for side in (1, -1):
            height = side * level[own] / size
            near = own[(height > -_BODY) & (height < _REACH)]
            found = _loose(strokes.columns[near], side * level[near], size)
            side_of[near[found]] = side
    if not side_of.any():
        return strokes, np.zeros(strokes.starts.size, np.int8)
    ends = np.append(strokes.starts[1:], strokes.rows.size)
    stroke = np.repeat(np.arange(strokes.starts.size), ends - strokes.starts)
    order = np.lexsort((side_of, stroke))
    starts = np.flatnonzero(np.diff(stroke[order], prepend=-1) | np.diff(side_of[order], prepend=0))
    cut = Strokes(
        strokes.rows[order], strokes.columns[order], strokes.above[order], strokes.line[order], starts
    )
    return cut, side_of[order][starts]


def smooth_heights(strokes: Strokes, size: float) -> Heights:
    """Height of each pixel over a parabola through the middle of its line, fitted to most of its columns.

    Words that stand above or below a part of a line draw its middle towards themselves there. Where a line
    does not follow a parabola, heights are those over its own middle.
    """
    level = strokes.above.copy()
    middle = strokes.above + strokes.rows
    for line in np.unique(strokes.line):
        own = np.flatnonzero(strokes.line == line)
        columns, first = np.unique(strokes.columns[own], return_index=True)
        if columns.size >= _LONG * size:
            smooth, off = _parabola(columns, middle[own][first], size)
            if off <= _STRAIGHT * size:
                level[own] = smooth[np.searchsorted(columns, strokes.columns[own])] - strokes.rows[own]
    return level


def _parabola(columns: NDArray[np.int64], rows: Heights, size: float) -> tuple[NDArray[np.float64], float]:
    """Fit of least absolute deviations, by iterated weights: its values, and the median deviation."""
    place = (columns - columns.mean()) / max(1.0, float(np.ptp(columns)))
    terms = np.stack([np.ones_like(place), place, np.square(place)])  # (3, columns)
    weight = np.ones(columns.size)
    ridge = 1e-6 * np.eye(3)
    for _ in range(_ROUNDS):
        fit = np.linalg.solve((terms * weight) @ terms.T + ridge, (terms * weight) @ rows)
        off = np.abs(rows - fit @ terms)
        weight = 1 / np.maximum(off, 0.05 * size)
    return np.asarray(fit @ terms), float(np.median(off))


def _loose(columns: NDArray[np.int64], heights: Heights, size: float) -> NDArray[np.bool_]:
    """Which pixels beside a line belong to an insertion; (pixels,)."""
    none = np.zeros(columns.size, bool)
    if columns.size == 0:
        return none
    left, base = int(columns.min()), int(_BODY * size) + 1
    ink = np.zeros((base + int(_REACH * size) + 2, int(columns.max()) - left + 1), np.uint8)
    at = (base + np.floor(heights).astype(np.int64), columns - left)
    ink[at] = 1
    zone = ink[base + int(_ZONE[0] * size) : base + int(_ZONE[1] * size)]
    covered = np.asarray(zone.any(axis=0))
    if not list(_runs(covered, size)):
        return none
    found = max((_cut_at(ink, base + int(cut * size), size) for cut in _CUTS), key=np.count_nonzero)
    return np.asarray(found[at] > 0)


def _runs(covered: NDArray[np.bool_], size: float) -> Iterator[tuple[int, int]]:
    """First and last column of every stretch that is long and dense enough for an insertion."""
    columns = np.flatnonzero(covered)
    for run in np.split(columns, np.flatnonzero(np.diff(columns) > _GAP * size) + 1):
        if run.size and run[-1] - run[0] >= _LONG * size:
            first, last = int(run[0]), int(run[-1])
            if covered[first : last + 1].mean() >= _COVERED:
                yield first, last


def _cut_at(ink: Mask, cut: int, size: float) -> Mask:
    """The insertions that lie beyond a height, 1 on their pixels."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink[cut:], connectivity=8)
    width, height = stats[:, cv2.CC_STAT_WIDTH], stats[:, cv2.CC_STAT_HEIGHT]
    contact = np.bincount(labels[0][(ink[cut - 1] > 0) & (labels[0] > 0)], minlength=count)
    strokes = np.bincount(labels[:-1][(labels[:-1] > 0) & (labels[1:] == 0)], minlength=count)
    free = (contact == 0) & (np.minimum(width, height) >= _SMALL * size)
    tied = (width >= _JOINED * size) & (contact <= _CONTACT * width) & (strokes >= _DENSE * width)
    letters = free | tied
    letters[0] = False
    found = np.zeros_like(ink)
    for first, last in _runs(np.any(letters[labels], axis=0), size):
        if ink[:cut, first : last + 1].any(axis=0).mean() >= _BESIDE:
            part = labels[:, first : last + 1]
            # Dots and bits go with the letters that they stand among.
            found[cut:, first : last + 1] = (letters | (contact == 0))[part] & (part > 0)
    return found
