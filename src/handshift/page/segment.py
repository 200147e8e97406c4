"""Segmentation: from a scan to its words in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.external_segmentation import ExternalWord
from handshift.page.find_words import Segmentation, find_words
from handshift.page.ink import Ink, ink_map
from handshift.page.scan_border import without_border
from handshift.page.word import Box, Word

_WORKING_SIDE, _NEARLY = 1650, 1.18
"""Pixels of a page's long side, a sheet of letter paper at 150 dpi: pages beyond 1.18 times that are shrunk,
so that fine scans give the same words as coarse ones. Whole factors would leave 1,267 to 2,850 pixels."""
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
    found, shrink = _segment_at(image, given, _WORKING_SIDE, _SMALL)
    if shrink > 1.0 and 0 < found.letter_size < _SMALL:
        side = min(_LARGEST_SIDE, round(_WORKING_SIDE * _USUAL / found.letter_size))
        found, _ = _segment_at(image, given, side)
    return found


def _segment_at(
    image: NDArray[np.uint8], given: Sequence[ExternalWord] | None, side: int, smallest: float = 0.0
) -> tuple[Segmentation, float]:
    """Segment with this many pixels on the long side at most; also how many pixels made one of those.

    Letters of a shrunk page that are smaller than `smallest` pixels are measured, and no words cut.
    """
    image, shrink = at_working_size(image, side)
    smallest = smallest if shrink > 1.0 else 0.0
    ink = ink_map(image)
    bare = without_border(image, ink)
    if bare is not None:  # scanner black would set the scale of all ink
        image, ink = bare, ink_map(bare)
    if given and not any(piece.whole_line for piece in given):
        found = find_words(ink, None, image, smallest)
        return replace(found, words=_cut_boxes(ink, given, shrink)), shrink
    lines = [_shrunk(piece.box, shrink) for piece in given] if given else None
    found = find_words(ink, lines, image, smallest)
    return found if shrink == 1.0 else _enlarged(found, shrink), shrink


def at_working_size(image: NDArray[np.uint8], side: int = _WORKING_SIDE) -> tuple[NDArray[np.uint8], float]:
    """The image as words are looked for in it, and how many of its own pixels make one of those."""
    longest = max(image.shape[:2])
    if longest <= side * _NEARLY:
        return image, 1.0
    shrink = longest / side
    size = (max(1, round(image.shape[1] / shrink)), max(1, round(image.shape[0] / shrink)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), shrink


def _cut_boxes(ink: Ink, given: Sequence[ExternalWord], shrink: float) -> tuple[Word, ...]:
    """The ink inside each given box."""
    words = []
    for piece in given:
        x, y, width, height = _shrunk(piece.box, shrink)
        words.append(Word(piece.box, piece.line, ink[y : y + height, x : x + width].copy(), piece.text))
    return tuple(words)


def _shrunk(box: Box, factor: float) -> Box:
    x, y, width, height = (int(value / factor) for value in box)
    return Box(x, y, max(1, width), max(1, height))


def _enlarged(found: Segmentation, factor: float) -> Segmentation:
    """Boxes in the scan's own pixels."""
    words = [replace(word, box=Box(*(round(value * factor) for value in word.box))) for word in found.words]
    return replace(found, words=tuple(words))
