"""Groups the strokes of a line into words by the page's own distribution of gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handshift.page.strokes import Strokes

_NARROWEST, _USUAL, _WIDEST = 0.25, 0.95, 1.6
"""Word gap thresholds of real pages, in units of the page's letter size."""
_POWER = 0.3
_SHARPNESS = 30.0
"""Of the weights of thresholds by their criterion. On a page whose best threshold moves from 0.90 to 0.68
letter sizes between 150 and 200 dpi (59 and 71 words), the mean moves from 0.76 to 0.67 (65 and 71)."""
_INSIDE, _OF_GAPS = 0.2, 8 / 60
"""Width of gaps inside words that are assumed besides those found, in letter sizes, and their share of these.
Joined writing has none to half a dozen: where they close or open with the resolution, word gaps were divided
among themselves, and words ran together. Of 24 pages three changed by more than a tenth over 100 to 300 dpi,
with these one; shares from 4 / 60 to 12 / 60 and widths from .15 to .25 do as well, others less."""
_MARK = 0.4
"""Strokes smaller than this share of the letter size are dots and commas: they make no gap."""


def slant(rows: NDArray[np.int64], columns: NDArray[np.int64], lines: NDArray[np.int32]) -> float:
    """Tangent of the writing's slant, positive when letters lean right.

    The shear at which the column profile of each line is sharpest.

    Args:
        rows: (n,) rows of ink pixels.
        columns: (n,) columns of ink pixels.
        lines: (n,) line of each pixel.

    Returns:
        The tangent, between −0.6 and 1.2.
    """
    step = max(1, rows.size // 12_000)
    y, x, line = rows[::step].astype(np.float32), columns[::step].astype(np.float32), lines[::step]
    width = int(x.max(initial=0)) + 1

    def sharpness(tangent: float) -> float:
        sheared = (x + y * np.float32(tangent)) / 2
        sheared -= sheared.min()
        bins = int(sheared.max()) + 2
        profile = np.bincount(line * bins + sheared.astype(np.int64), minlength=bins)
        return float(np.square(profile.astype(np.float64)).sum())

    if width < 3:
        return 0.0
    tangents = np.arange(-0.6, 1.21, 0.1)
    return float(max(tangents, key=lambda t: sharpness(float(t))))


def gap_threshold(gaps: NDArray[np.float64], size: float) -> float:
    """Gap width in pixels that separates words from letters, by Otsu's criterion for two classes.

    Gaps are compared by a small power of their width, between linear (where a few very wide gaps decide) and
    logarithmic (where the narrowest decide). A weak prior regularises pages with few gaps, a list of single
    letters has none inside words; and some narrow gaps are added, since cursive writing has hardly any.

    Args:
        gaps: (n,) positive gaps between strokes of a line, in pixels.
        size: The page's letter size in pixels.

    Returns:
        The threshold in pixels.
    """
    candidates = np.linspace(np.log(_NARROWEST), np.log(_WIDEST), 40)
    if gaps.size == 0:
        return size * _USUAL
    assumed = np.full(round(_OF_GAPS * gaps.size), _INSIDE * size)
    values = (np.maximum(np.append(gaps, assumed), 0.08 * size) / size) ** _POWER
    inside = values[None, :] < np.exp(_POWER * candidates)[:, None]  # (candidates, gaps)
    share = inside.mean(axis=1)
    below = (inside * values).sum(axis=1) / np.maximum(inside.sum(axis=1), 1)
    above = (~inside * values).sum(axis=1) / np.maximum((~inside).sum(axis=1), 1)
    separation = share * (1 - share) * (above - below) ** 2 / (values.var() + 1e-9)
    prior = 0.05 * (candidates - np.log(_USUAL)) ** 2
    # The criterion is flat about its maximum: the mean of the good candidates moves less than the best one.
    criterion = separation - prior
    weight = np.exp(_SHARPNESS * (criterion - criterion.max()))
    return float(size * np.exp((weight * candidates).sum() / weight.sum()))


def words_of_strokes(strokes: Strokes, size: float) -> NDArray[np.int64]:
    """Word of each stroke, numbered in reading order; −1 for strokes that belong to no word."""
    line = strokes.line[strokes.starts]
    lean = slant(strokes.rows, strokes.columns, strokes.line)
    upright = strokes.columns - lean * strokes.above
    zone = np.abs(strokes.above) <= size
    left = np.minimum.reduceat(np.where(zone, upright, np.inf), strokes.starts)
    right = np.maximum.reduceat(np.where(zone, upright, -np.inf), strokes.starts)
    full_left = np.minimum.reduceat(upright, strokes.starts)
    full_right = np.maximum.reduceat(upright, strokes.starts)
    low = np.minimum.reduceat(strokes.above, strokes.starts)
    high = np.maximum.reduceat(strokes.above, strokes.starts)
    extent = np.maximum(full_right - full_left, high - low)
    mark = (extent < _MARK * size) | ~np.isfinite(left)
    left, right = np.where(mark, full_left, left), np.where(mark, full_right, right)

    letters = np.flatnonzero(~mark)
    letters = letters[np.lexsort((left[letters], line[letters]))]
    if letters.size == 0:
        return np.full(line.size, -1, np.int64)
    new_line = np.diff(line[letters], prepend=-1) != 0
    reach = _running_maximum(right[letters], new_line)
    gap = np.where(new_line, np.inf, left[letters] - np.roll(reach, 1))
    threshold = gap_threshold(gap[np.isfinite(gap) & (gap > 0)], size)
    word = np.full(line.size, -1, np.int64)
    word[letters] = np.cumsum(gap > threshold) - 1
    # A dot may float high and a comma hang low, but not a line away.
    marks = np.flatnonzero(mark & (low < 3 * size) & (high > -3 * size))
    _attach_marks(word, marks, letters, line, (left, right), 2 * size)
    return word


def _running_maximum(values: NDArray[np.float64], restart: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Largest value so far on each line."""
    group = np.cumsum(restart)
    # Lifting every line above the one before lets a single accumulate restart at each line.
    lift = group * (np.ptp(values) + 1.0)
    return np.maximum.accumulate(values + lift) - lift


def _attach_marks(
    word: NDArray[np.int64],
    marks: NDArray[np.int64],
    letters: NDArray[np.int64],
    line: NDArray[np.int32],
    spans: tuple[NDArray[np.float64], NDArray[np.float64]],
    reach: float,
) -> None:
    """Assign dots, commas and quotes to the nearest word on their line; remote ones are dust."""
    left, right = spans
    if marks.size == 0:
        return
    apart = np.maximum(left[letters] - right[marks, None], left[marks, None] - right[letters])
    apart = np.where(line[letters] == line[marks, None], apart, np.inf)  # (marks, letters)
    nearest = apart.argmin(axis=1)
    close = apart[np.arange(marks.size), nearest] < reach
    word[marks[close]] = word[letters[nearest[close]]]
