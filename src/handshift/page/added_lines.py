"""Insertions: words squeezed in above or below a line become lines of their own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handshift.page.strokes import Strokes
from handshift.page.touching_insertions import cut_insertions

_CLEAR = 0.5
"""Letter sizes off the middle of a line from which on ink lies above its small letters, or below them."""
_NEARER = (0.35, 0.2, 0.05, -0.1, -0.25)
"""Insertions that draw the middle of their line towards themselves begin nearer to it, in letter sizes."""
_HOST, _CROSSED = 0.4, 0.2
"""Shares of such an insertion's columns: least of those with letters of the line itself beside it, and most
of those with strokes that run from these into it."""
_OVERLAP = 0.2
"""Letter sizes by which a stroke may reach beyond the border of the two."""
_NEAR_LONG, _LOWER = 4.2, 0.8
"""Least width of such an insertion, in letter sizes, and height of its strokes over that of its line's: two
lines that were taken for one have letters of one size."""
_STACKED = 2.0
"""Height of the ink in these columns, letters and insertion, over that in the page's columns: the lower parts
of Hangul, which stand clear of the upper ones too, make less than 1.8 of it, insertions 2.5 and more."""
_TALL, _WIDE = 0.3, 0.3
"""Least height and width of an inserted stroke, in letter sizes: dots, commas and the bars of t are less."""
_GAP = 2.5
"""Letter sizes between the strokes of one insertion at most."""
_LONG, _COVERED = 3.0, 0.5
"""Least width of an insertion, in letter sizes, and share of it that strokes cover: quotation marks are
narrower, and accents stand far apart."""

_LETTERS, _DENSEST = 0.65, 0.8
"""Strokes to a letter size of width, on the rows of an insertion that have most of them, and the height of
these rows in letter sizes. Words written between the lines have 0.67 and more, the tops of tall letters and
pieces of a line drawn round the text mostly less."""


@dataclass(frozen=True, slots=True)
class _Extent:
    """Of each stroke, (strokes,): columns, and heights over the middle of its line in letter sizes."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    line: NDArray[np.int32]


def with_added_lines(strokes: Strokes, size: float) -> tuple[Strokes, frozenset[int]]:
    """Number the lines anew, with insertions as lines of their own.

    Args:
        strokes: Strokes by line; inserted words are assigned to the nearest one.
        size: Height of small letters.

    Returns:
        The strokes, and which lines are insertions; one comes before the line that it stands above, or
        after it.
    """
    if strokes.starts.size == 0:
        return strokes, frozenset()
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
    heights = _column_heights(strokes)
    for border in _NEARER:
        for side, clear, beyond in (
            (-1, extent.low > border - _OVERLAP, extent.high < border + _OVERLAP),
            (1, extent.high < -border + _OVERLAP, extent.low > -border - _OVERLAP),
        ):
            text = place % 2 == 0
            for members in _insertions(extent, clear & text, size):
                beside = _beside_letters(extent, members, beyond & text, ~clear & ~beyond)
                if beside and _is_small(extent, members, size) and _is_stacked(heights, extent, members):
                    place[members] = 2.0 * extent.line[members[0]] + side
    for odd in np.unique(place[place % 2 != 0]):
        for members in _runs(extent, np.flatnonzero(place == odd), size):
            if _letters(strokes, members, size) < _LETTERS:
                place[members] = 2.0 * extent.line[members]
    if (place % 2 == 0).all():
        return strokes, frozenset()
    ends = np.append(at[1:], strokes.rows.size)
    places, number = np.unique(place, return_inverse=True)
    pixels = np.repeat(number, ends - at)
    above = strokes.above.copy()
    for new in np.flatnonzero(places % 2):
        own = pixels == new
        above[own] -= np.median(above[own])
    inserted = frozenset((np.flatnonzero(places % 2) + 1).tolist())
    return replace(strokes, line=(pixels + 1).astype(np.int32), above=above), inserted


def _beside_letters(
    extent: _Extent, members: NDArray[np.intp], beyond: NDArray[np.bool_], across: NDArray[np.bool_]
) -> bool:
    """Whether strokes run along letters of their line and are hardly crossed by it."""
    own = extent.line == extent.line[members[0]]
    covered = np.zeros(int(extent.right[members].max()) + 1, bool)
    for left, right in zip(extent.left[members], extent.right[members], strict=True):
        covered[left : right + 1] = True
    shares = []
    for others in (own & beyond, own & across):
        theirs = np.zeros_like(covered)
        for left, right in zip(extent.left[others], extent.right[others], strict=True):
            theirs[left : right + 1] = True
        shares.append(float(theirs[covered].mean()))
    return shares[0] >= _HOST and shares[1] <= _CROSSED


def _is_small(extent: _Extent, members: NDArray[np.intp], size: float) -> bool:
    """Whether strokes run on for a word or two and are lower than the others of their line."""
    high = extent.high - extent.low
    others = (extent.line == extent.line[members[0]]) & (high >= _TALL)
    others[members] = False
    own = high[members][high[members] >= _TALL]
    if not (others.any() and own.size):
        return False
    width = extent.right[members].max() - extent.left[members].min()
    return bool(width >= _NEAR_LONG * size and np.median(own) <= _LOWER * np.median(high[others]))


def _column_heights(strokes: Strokes) -> NDArray[np.int64]:
    """(lines + 1, columns) rows from the uppermost ink of a line to the lowest; 0 where there is none."""
    shape = int(strokes.line.max()) + 1, int(strokes.columns.max()) + 1
    top, bottom = np.full(shape, np.iinfo(np.int64).max), np.full(shape, -1)
    np.minimum.at(top, (strokes.line, strokes.columns), strokes.rows)
    np.maximum.at(bottom, (strokes.line, strokes.columns), strokes.rows)
    return np.where(bottom >= 0, bottom - top + 1, 0)


def _is_stacked(heights: NDArray[np.int64], extent: _Extent, members: NDArray[np.intp]) -> bool:
    """Whether the ink is higher where strokes stand beside a line than it usually is."""
    left, right = extent.left[members].min(), extent.right[members].max()
    own = heights[extent.line[members[0]], left : right + 1]
    return bool(np.median(own[own > 0]) >= _STACKED * np.median(heights[heights > 0]))


def _insertions(extent: _Extent, clear: NDArray[np.bool_], size: float) -> list[NDArray[np.intp]]:
    """Strokes of each insertion: a run of letters that stand clear of the line's own."""
    high, width = extent.high - extent.low, (extent.right - extent.left) / size
    letters = np.flatnonzero(clear & (high >= _TALL) & (width >= _WIDE))
    found = []
    for line in np.unique(extent.line[letters]):
        for run in _runs(extent, letters[extent.line[letters] == line], size):
            left, right = extent.left[run].min(), extent.right[run].max()
            covered = (extent.right[run] - extent.left[run] + 1).sum() >= _COVERED * (right - left)
            if right - left >= _LONG * size and covered:
                within = (extent.left >= left - size) & (extent.right <= right + size)
                found.append(np.flatnonzero(clear & within & (extent.line == line)))
    return found


def _runs(extent: _Extent, own: NDArray[np.intp], size: float) -> list[NDArray[np.intp]]:
    """Strokes of one line, divided where there is a wide gap between them."""
    own = own[np.argsort(extent.left[own], kind="stable")]
    reach = np.maximum.accumulate(extent.right[own])
    return np.split(own, np.flatnonzero(extent.left[own][1:] - reach[:-1] > _GAP * size) + 1)


def _letters(strokes: Strokes, members: NDArray[np.intp], size: float) -> float:
    """How many strokes a row crosses in a letter size of width, on the rows that cross most."""
    ends = np.append(strokes.starts[1:], strokes.rows.size)
    at = np.concatenate([np.arange(strokes.starts[one], ends[one]) for one in members])
    rows, columns = strokes.rows[at] - strokes.rows[at].min(), strokes.columns[at] - strokes.columns[at].min()
    ink = np.zeros((int(rows.max()) + 1, int(columns.max()) + 2), bool)
    ink[rows, columns + 1] = True
    across = np.sort((ink[:, 1:] & ~ink[:, :-1]).sum(axis=1))[::-1]
    return float(across[: max(1, int(_DENSEST * size))].mean() * size / max(size, columns.max()))
