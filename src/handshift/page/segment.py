"""Segmentation: from a scan to its words in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import components_of
from handshift.page.deskew import Rotation, deskew_rotation, skew_angle
from handshift.page.external_segmentation import ExternalWord
from handshift.page.ink import Ink, ink_map
from handshift.page.lines import cores_of_boxes, line_cores, line_spacing
from handshift.page.strokes import Strokes, strokes_by_line, x_height
from handshift.page.word import Box, Word
from handshift.page.word_gaps import words_of_strokes

_LONG_SIDE = 1900
"""Pixels of a page's long side at 150 to 200 dpi; finer scans are shrunk by a whole factor first."""
_SPACING_TO_LETTER = 0.28
"""Height of small letters over the distance of lines, in ordinary writing."""
_COLUMN_LINES = 4
"""From this many lines on, the writing is taken to fill the width of the sheet."""
_ALONE = 5
"""Percent of the words on either side that may stand in a margin."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The words of a page, and measures of its writing."""

    words: tuple[Word, ...]
    letter_size: float
    """In pixels of the words' ink, which a fine scan has fewer of than the boxes."""
    sheet_width: int
    """The page's width, in pixels of the words' ink."""
    column_width: int | None
    """Width of the writing in the same pixels, from four lines on; fewer need not fill a sheet."""


def segment(image: NDArray[np.uint8], given: Sequence[ExternalWord] | None = None) -> Segmentation:
    """Find the words of a page, or cut them where an external segmentation says.

    Args:
        image: Upright RGB pixels, height × width × 3.
        given: Words or lines from PAGE-XML or ALTO, in pixels of ``image``.

    Returns:
        The words in reading order, with boxes in pixels of ``image``.
    """
    shrink = max(1, round(max(image.shape[:2]) / _LONG_SIDE))
    if shrink > 1:
        small = (image.shape[1] // shrink, image.shape[0] // shrink)
        image = cv2.resize(image, small, interpolation=cv2.INTER_AREA)
    ink = ink_map(image)
    if given and not any(piece.whole_line for piece in given):
        return replace(_found(ink, None), words=_cut_boxes(ink, given, shrink))
    lines = [_shrunk(piece.box, shrink) for piece in given] if given else None
    found = _found(ink, lines)
    return found if shrink == 1 else _enlarged(found, shrink)


def _found(ink: Ink, lines: Sequence[Box] | None) -> Segmentation:
    """Words by the gaps in lines, which are detected or given."""
    scan, width = ink.shape, ink.shape[1]
    pieces = components_of(ink)
    rotation = None if lines else deskew_rotation(ink.shape, skew_angle(pieces.mask))
    if rotation:
        ink = rotation.apply(ink)
        pieces = components_of(ink)
    letters = pieces.letter_height
    if letters == 0:
        return Segmentation((), 0.0, width, None)
    spacing = line_spacing(pieces.mask, letters)
    cores = cores_of_boxes(lines, ink.shape) if lines else line_cores(pieces.mask, spacing)
    if cores.count == 0:
        return Segmentation((), 0.0, width, None)
    strokes = strokes_by_line(pieces, cores, spacing)
    # The x-height alone is noisy; the line spacing stabilises it.
    size = float(np.sqrt(x_height(strokes, spacing) * _SPACING_TO_LETTER * spacing))
    words = _cut(ink, strokes, words_of_strokes(strokes, size), rotation, scan)
    return Segmentation(words, size, width, _column_width(words))


def _column_width(words: Sequence[Word]) -> int | None:
    """Width of the text column, ignoring the few words that stand in a margin."""
    if len({word.line for word in words}) < _COLUMN_LINES:
        return None
    begin = np.percentile([word.box.x for word in words], _ALONE)
    end = np.percentile([word.box.x + word.box.width for word in words], 100 - _ALONE)
    return round(float(end - begin))


def _cut(
    ink: Ink, strokes: Strokes, word_of: NDArray[np.int64], rotation: Rotation | None, scan: tuple[int, ...]
) -> tuple[Word, ...]:
    """One crop for each word with its own strokes only; ``scan`` is (height, width) before rotation."""
    ends = np.append(strokes.starts[1:], strokes.rows.size)
    pixels = np.repeat(word_of, ends - strokes.starts)
    order = np.argsort(pixels, kind="stable")
    order = order[pixels[order] >= 0]
    bounds = np.flatnonzero(np.diff(pixels[order], prepend=-1))
    words = []
    for at in np.split(order, bounds[1:]):
        if at.size == 0:
            continue
        rows, columns = strokes.rows[at], strokes.columns[at]
        box = _around(rows, columns)
        crop = np.zeros((box.height, box.width), np.uint8)
        crop[rows - box.y, columns - box.x] = ink[rows, columns]
        box = _around(*rotation.undo(rows, columns)) if rotation else box
        words.append(Word(box, int(strokes.line[at[0]]) - 1, crop, cut_off=_at_edge(box, scan)))
    return tuple(words)


def _cut_boxes(ink: Ink, given: Sequence[ExternalWord], shrink: int) -> tuple[Word, ...]:
    """The ink inside each given box."""
    words = []
    for piece in given:
        x, y, width, height = _shrunk(piece.box, shrink)
        words.append(Word(piece.box, piece.line, ink[y : y + height, x : x + width].copy(), piece.text))
    return tuple(words)


def _shrunk(box: Box, factor: int) -> Box:
    x, y, width, height = (value // factor for value in box)
    return Box(x, y, max(1, width), max(1, height))


def _enlarged(found: Segmentation, factor: int) -> Segmentation:
    """Boxes in the scan's own pixels."""
    words = [replace(word, box=Box(*(value * factor for value in word.box))) for word in found.words]
    return replace(found, words=tuple(words))


def _around(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Box:
    """Bounding box of pixels, clipped at 0 where a rotation moved them over the edge."""
    y, x = max(0, int(rows.min())), max(0, int(columns.min()))
    return Box(x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1)


def _at_edge(box: Box, scan: tuple[int, ...]) -> bool:
    """Whether ink reaches the outermost pixels, or those beside them, of a scan (height, width)."""
    height, width = scan[:2]
    return min(box.x, box.y, width - box.x - box.width, height - box.y - box.height) <= 1
