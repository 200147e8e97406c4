"""Finds words that were crossed out or written over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word
from handshift.page.zigzag import zigzag

Flags = NDArray[np.bool_]
_INK = 95
_NARROWEST = 3.0
"""Width of a word that is tested, in letter sizes: a shorter one may be a t with its bar."""
_COVERED = 0.975
"""Share of a word's width that a straight stroke through the small letters covers."""
_LONG, _LONGER, _LONGEST = 4.5, 5.5, 7.0
"""Letter sizes that a straight stroke runs without a gap: where it covers the word; where an end of the word
is thin; by itself, as where it ties words together."""
_END, _THIN = 0.22, 0.35
"""Letter sizes of width at either end of a word, and height of the ink there where only a stroke overhangs.
The bar of a t and strokes that join letters cover a word too, but begin or end at a letter. On 14 pages by
train writers these rules flag 2 of 1,419 other words and 33 of 48 that were crossed out by lines; cover and
4.5 letter sizes alone flag 16 and 39."""
_HEIGHTS = np.linspace(0.25, 0.78, 12)
"""Where a stroke that crosses a word out begins and ends, in heights of the word."""
_SLOPE = 0.3
_STARTS, _ENDS = (heights.ravel() for heights in np.meshgrid(_HEIGHTS, _HEIGHTS))
_LEVEL, _MIDDLES = np.abs(_STARTS - _ENDS) <= _SLOPE, (_STARTS + _ENDS) / 2
_FEWEST = 12
_HOLES, _LEAST_HOLES = 2.4, 1.6
"""Enclosed bits of paper for each letter size of width: relative to the upper quartile, and at least."""
_TESTED, _LONGEST_COUNTED = 2.0, 8.0
"""Letter sizes: width of a word that the discriminant tests, and greatest length of a stroke in it."""
_DENSE = (-1.5, 1.1, 2.0, 0.7, 6.4, 0.0, 0.0, -4.2)
_CROSSED = (-0.23, 1.03, 1.47, 0.52, 7.9, 2.1, 1.45, -9.0)
"""Weights and offset of two discriminants. The first, without the measures of zigzags, was fitted on 992
words of 12 pages by validation writers; it alone finds a scribble over several words. The second was fitted
on 31 pages by calibration and validation writers with nine words crossed out on each. Few words are crossed
out on a real page, so its offset is stricter than the fit's: of these same pages it finds 70 % of the words
with one line, 86 % with two, 51 % with a zigzag (the first 17 %) and 32 of the 2,486 left as written, among
them the writers' own strike-outs; with the fit's, -7.05, 84, 90 and 71 % and 65 words, pointed w's among
them."""
_SELDOM = 0.05
"""Share of a page's words up to which the first is believed: thick joined writing is dense throughout."""


def struck_out(words: Sequence[Word], size: float) -> Flags:
    """Which words are crossed out.

    A straight line crosses a word out if ink follows it over nearly the whole width, through the small
    letters. A zigzag or a scribble encloses many small bits of paper; it is compared with the other words of
    the page, and so are straightness and density of the strokes together.

    Args:
        words: Words of a page.
        size: Height of small letters, in pixels of the words' ink.

    Returns:
        (words,) flags.
    """
    measured = [_measure((word.ink > _INK).astype(np.uint8), size) for word in words]
    wide = np.array([one is not None and one.wide for one in measured], bool)
    lined = np.array([one is not None and one.wide and _is_lined(one, size) for one in measured], bool)
    if wide.sum() < _FEWEST:
        return lined
    holes = np.array([one.holes if one is not None and one.wide else 0.0 for one in measured])
    usual = float(np.percentile(holes[wide], 75))
    scribbled = wide & (holes > max(_LEAST_HOLES, _HOLES * usual))
    return np.asarray(lined | scribbled | _unlike_the_rest(measured, size))


@dataclass(frozen=True, slots=True)
class _Measured:
    """A word that is wide enough to be tested."""

    mask: NDArray[np.uint8]
    wide: bool
    """Whether it is as wide as the rules about lines and scribbles ask."""
    covered: float
    longest: float
    """Cover and length of the best straight stroke, the second in letter sizes."""
    holes: float


def _measure(mask: NDArray[np.uint8], size: float) -> _Measured | None:
    """What both rules and discriminants ask of a word, measured once; None for a small or empty one."""
    height, width = mask.shape
    if width < _TESTED * size or height < 0.6 * size or not mask.any():
        return None
    covered, pixels = line_cover(mask)
    return _Measured(mask, width >= _NARROWEST * size, covered, pixels / size, holes_of(mask, size))


def _unlike_the_rest(words: Sequence[_Measured | None], size: float) -> Flags:
    """Words whose strokes are straighter and denser than the page's others, by two logistic discriminants."""
    found = np.zeros(len(words), bool)
    tested = [at for at, word in enumerate(words) if word is not None]
    if len(tested) >= _FEWEST:
        rows = np.array([_texture(word, size) for word in words if word is not None])  # (words, 7)
        rows[:, 2:5] -= np.median(rows[:, 2:5], axis=0)
        rows[:, 5:] -= np.percentile(rows[:, 5:], 75, axis=0)
        weights = np.array([_DENSE, _CROSSED])
        dense, crossed = (rows @ weights[:, :-1].T + weights[:, -1] > 0).T
        found[tested] = crossed | (dense if dense.mean() <= _SELDOM else False)
    return found


def _texture(word: _Measured, size: float) -> list[float]:
    """Cover and length of the best straight stroke, enclosed bits, strokes down, ink of the body; zigzag."""
    mask = word.mask
    edges = cv2.countNonZero(cv2.absdiff(mask[1:], mask[:-1])) + int(mask[0].sum()) + int(mask[-1].sum())
    profile = mask.sum(axis=1)
    body = np.flatnonzero(profile >= 0.5 * profile.max())
    ink = float(mask[body[0] : body[-1] + 1].mean())
    longest = min(word.longest, _LONGEST_COUNTED)
    return [word.covered, longest, word.holes, edges / mask.shape[1] / 2, ink, *zigzag(mask, size)]


def _is_lined(word: _Measured, size: float) -> bool:
    ends = _heights_of_ends(word.mask, size)
    overhangs = max(ends) <= _THIN or word.longest >= _LONG
    return (
        (word.covered >= _COVERED and overhangs)
        or (word.longest >= _LONGER and min(ends) <= _END)
        or word.longest >= _LONGEST
    )


def _heights_of_ends(mask: NDArray[np.uint8], size: float) -> tuple[float, float]:
    """Height of the ink in the first and in the last columns of a word, in letter sizes."""
    columns = max(2, round(_END * size))
    left, right = (np.flatnonzero(part.any(axis=1)) for part in (mask[:, :columns], mask[:, -columns:]))
    first, last = ((rows[-1] - rows[0] + 1) / size if rows.size else 0.0 for rows in (left, right))
    return float(first), float(last)


def line_cover(mask: NDArray[np.uint8]) -> tuple[float, int]:
    """How far ink follows a straight line through the middle of a word.

    Args:
        mask: 1 where a stroke is.

    Returns:
        The largest share of the width, and the longest stretch in pixels without a gap, over all lines.
    """
    height, width = mask.shape
    thick = cv2.dilate(mask, np.ones((3, 1), np.uint8))
    columns = np.arange(int(0.03 * width), max(int(0.97 * width), int(0.03 * width) + 1))
    along = columns / max(1, width - 1)
    low, high = _middle(mask)
    through = _LEVEL & (low <= _MIDDLES) & (high >= _MIDDLES)
    start, end = _STARTS[through], _ENDS[through]
    if start.size == 0:
        return 0.0, 0
    rows = (start[:, None] + (end - start)[:, None] * along) * (height - 1)  # (lines, columns)
    inked = thick[np.rint(rows).astype(np.intp), columns] > 0  # (lines, columns)
    place = np.arange(1, columns.size + 1, dtype=np.int32)
    reach = place - np.maximum.accumulate(np.where(inked, np.int32(0), place), axis=1)
    return float(np.count_nonzero(inked, axis=1).max()) / columns.size, int(reach.max())


def _middle(mask: NDArray[np.uint8]) -> tuple[float, float]:
    """Between which heights a stroke runs through the small letters and not along their feet or tops."""
    profile = mask.sum(axis=1)
    body = np.flatnonzero(profile >= 0.5 * profile.max())
    top, bottom = float(body[0]), float(body[-1] + 1)
    margin = 0.22 * (bottom - top)
    return (top + margin) / len(profile), (bottom - margin) / len(profile)


def holes_of(mask: NDArray[np.uint8], size: float) -> float:
    """Enclosed bits of paper for each letter size of width."""
    framed = cv2.copyMakeBorder(1 - mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    count, _, stats, _ = cv2.connectedComponentsWithStats(framed, connectivity=4)
    enclosed = int((stats[1:, cv2.CC_STAT_AREA] >= 3).sum()) - 1
    return max(0, enclosed) * size / mask.shape[1] if count > 1 else 0.0
