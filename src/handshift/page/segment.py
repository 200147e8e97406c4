"""Segmentation: from a scan to its words in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import STROKE
from handshift.page.external_segmentation import ExternalWord
from handshift.page.find_words import Segmentation, find_words
from handshift.page.ink import Ink, ink_map
from handshift.page.scan_border import without_border
from handshift.page.word import Box, Word

_WORKING_SIDE, _NEARLY = 1650, 1.18
"""Pixels of a page's long side, a sheet of letter paper at 150 dpi: pages beyond 1.18 times that are shrunk,
so that fine scans give the same words as coarse ones."""
_STEPS, _ABOUT = np.array([4 / 3, 2.0]), 1.07
"""A factor within 1.07 of one of these, times a power of two, is taken for it: letter and A4 sheets of 200,
300, 400 and 600 dpi become 150 dpi, and not the one 150 and the other 141."""
_SMALL, _USUAL, _LARGEST_SIDE = 13.0, 17.0, 3300
"""Pixels of small letters below which a shrunk page is looked at again, and those aimed at: writing amid much
white, or a small hand. At most so many pixels on the long side."""


def segment(image: NDArray[np.uint8], given: Sequence[ExternalWord] | None = None) -> Segmentation:
    """Find the words of a page, or cut them where an external segmentation says.

    Args:
        image: Upright RGB pixels, height × width × 3.
        given: Words or lines from PAGE-XML or ALTO, in pixels of ``image``.

    Returns:
        The words in reading order, with boxes in pixels of ``image``.
    """
    shrink = working_factor(image)
    found = _segment_at(image, given, shrink, _SMALL)
    if shrink > 1.0 and 0 < found.letter_size < _SMALL:
        finer = max(shrink * found.letter_size / _USUAL, max(image.shape[:2]) / _LARGEST_SIDE)
        found = _segment_at(image, given, finer if finer > _NEARLY else 1.0)
    return found


def _segment_at(
    image: NDArray[np.uint8], given: Sequence[ExternalWord] | None, shrink: float, smallest: float = 0.0
) -> Segmentation:
    """Segment the page made smaller by a factor.

    Letters of a shrunk page that are smaller than `smallest` pixels are measured, and no words cut.
    """
    image = _shrunk_image(image, shrink)
    smallest = smallest if shrink > 1.0 else 0.0
    ink = ink_map(image)
    bare = without_border(image, ink)
    if bare is not None:  # scanner black would set the scale of all ink
        image, ink = bare, ink_map(bare)
    if given and not any(piece.whole_line for piece in given):
        found = find_words(ink, None, image, smallest)
        return replace(found, words=_cut_boxes(ink, given, shrink))
    lines = [_shrunk(piece.box, shrink) for piece in given] if given else None
    found = find_words(ink, lines, image, smallest)
    return found if shrink == 1.0 else _enlarged(found, shrink)


def working_factor(image: NDArray[np.uint8]) -> float:
    """How many pixels of the image make one of those in which words are looked for."""
    wanted = max(image.shape[:2]) / _WORKING_SIDE
    if wanted <= _NEARLY:
        return 1.0
    steps = _STEPS * 2 ** np.maximum(0, np.rint(np.log2(wanted / _STEPS)))
    off = np.abs(np.log(steps / wanted))
    return float(steps[off.argmin()]) if off.min() <= np.log(_ABOUT) else wanted


def _shrunk_image(image: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    if factor == 1.0:
        return image
    size = (max(1, round(image.shape[1] / factor)), max(1, round(image.shape[0] / factor)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _cut_boxes(ink: Ink, given: Sequence[ExternalWord], shrink: float) -> tuple[Word, ...]:
    """The ink inside each given box, without the white about it.

    Words that are found are as tight. A vector depends on where its word lies on the canvas: one pixel more
    on a side costs a cosine of .02.
    """
    return tuple(
        Word(piece.box, piece.line, _without_margin(_inside(ink, _shrunk(piece.box, shrink))), piece.text)
        for piece in given
    )


def _inside(ink: Ink, box: Box) -> Ink:
    return ink[box.y : box.y + box.height, box.x : box.x + box.width]


def _without_margin(ink: Ink) -> Ink:
    """A copy from the first to the last row and column that hold a stroke; all of it where none do."""
    inked = ink > STROKE
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    if rows.size == 0:
        return ink.copy()
    return ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()


def _shrunk(box: Box, factor: float) -> Box:
    """The pixels that the box touches."""
    x, y = int(box.x / factor), int(box.y / factor)
    right, bottom = (ceil(end / factor) for end in (box.x + box.width, box.y + box.height))
    return Box(x, y, max(1, right - x), max(1, bottom - y))


def _enlarged(found: Segmentation, factor: float) -> Segmentation:
    """Boxes in the scan's own pixels."""
    words = [replace(word, box=Box(*(round(value * factor) for value in word.box))) for word in found.words]
    return replace(found, words=tuple(words))
