"""Insertions: words squeezed in above or below a line become lines of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handshift.page.strokes import Strokes
from handshift.page.touching_insertions import cut_insertions

_CLEAR = 0.5
"""Letter sizes off the middle of a line from which on ink lies above its small letters, or below them."""
_TALL, _WIDE = 0.3, 0.3
"""Least height and width of an inserted stroke, in letter sizes: dots, commas and the bars of t are less."""
_GAP = 2.5
"""Letter sizes between the strokes of one insertion at most."""
_LONG, _COVERED = 3.0, 0.5
"""Least width of an insertion, in letter sizes, and share of it that strokes cover: quotation marks are
narrower, and accents stand far apart."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """Of each stroke, (strokes,): columns, and heights over the middle of its line in letter sizes."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    line: NDArray[np.int32]


def with_added_lines(strokes: Strokes, size: float) -> Strokes:
    """Number the lines anew, with insertions as lines of their own.

    Args:
        strokes: Strokes by line; inserted words are assigned to the nearest one.
        size: Height of small letters.

    Returns:
        The strokes; an insertion comes before the line that it stands above, or after it.
    """
    if strokes.starts.size == 0:
        return strokes
    strokes, side_of = cut_insertions(strokes, size)
    at = strokes.starts
    extent = _Extent(
        np.minimum.reduceat(strokes.columns, at),
        np.maximum.reduceat(strokes.columns, at),
        np.minimum.reduceat(strokes.above, at) / size,
        np.maximum.reduceat(strokes.above, at) / size,
        strokes.line[at],
    )
    place = 2.0 * extent.line.astype(np.float64)  # of each stroke's line in the new order
    place -= side_of
    for side, clear in ((-1, extent.low > _CLEAR), (1, extent.high < -_CLEAR)):
        for members in _insertions(extent, clear, size):
            place[members] = 2.0 * extent.line[members[0]] + side
    if (place % 2 == 0).all():
        return strokes
    ends = np.append(at[1:], strokes.rows.size)
    places, number = np.unique(place, return_inverse=True)
    pixels = np.repeat(number, ends - at)
    above = strokes.above.copy()
    for new in np.flatnonzero(places % 2):
        own = pixels == new
        above[own] -= np.median(above[own])
    return replace(strokes, line=(pixels + 1).astype(np.int32), above=above)


def _insertions(extent: _Extent, clear: NDArray[np.bool_], size: float) -> list[NDArray[np.intp]]:
    """Strokes of each insertion: a run of letters that stand clear of the line's own."""
    high, width = extent.high - extent.low, (extent.right - extent.left) / size
    letters = np.flatnonzero(clear & (high >= _TALL) & (width >= _WIDE))
    found = []
    for line in np.unique(extent.line[letters]):
        own = letters[extent.line[letters] == line]
        own = own[np.argsort(extent.left[own], kind="stable")]
        reach = np.maximum.accumulate(extent.right[own])
        breaks = np.flatnonzero(extent.left[own][1:] - reach[:-1] > _GAP * size) + 1
        for run in np.split(own, breaks):
            left, right = extent.left[run].min(), extent.right[run].max()
            covered = (extent.right[run] - extent.left[run] + 1).sum() >= _COVERED * (right - left)
            if right - left >= _LONG * size and covered:
                within = (extent.left >= left - size) & (extent.right <= right + size)
                found.append(np.flatnonzero(clear & within & (extent.line == line)))
    return found
