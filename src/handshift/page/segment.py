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
from handshift.page.frames import find_frames
from handshift.page.ink import Ink, ink_map
from handshift.page.lines import cores_of_boxes, line_cores, line_spacing
from handshift.page.mark_kinds import with_kinds, without_frames
from handshift.page.orientation import runs_sideways, upright_evidence, upright_features
from handshift.page.scan_border import without_border
from handshift.page.strokes import Strokes, strokes_by_line, x_height
from handshift.page.word import Box, Word
from handshift.page.word_gaps import words_of_strokes

_WORKING_SIDE, _NEARLY = 1650, 1.18
"""Pixels of a page's long side, a sheet of letter paper at 150 dpi: pages beyond 1.18 times that are shrunk,
so that fine scans give the same words as coarse ones. Whole factors would leave 1,267 to 2,850 pixels."""
_SMALL, _USUAL, _LARGEST_SIDE = 13.0, 17.0, 3300
"""Pixels of small letters below which a shrunk page is looked at again, and those aimed at: writing amid much
white, or a small hand. At most so many pixels on the long side."""
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
    upright: float = 0.0
    """Evidence that the page stands upright; negative where it is upside down."""
    sideways: bool = False
    """Whether the lines of writing run from top to bottom of the picture."""
    spacing: float = 0.0
    """Distance of lines, in pixels of the words' ink."""


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
        found = _found(ink, None, image, smallest)
        return replace(found, words=_cut_boxes(ink, given, shrink)), shrink
    lines = [_shrunk(piece.box, shrink) for piece in given] if given else None
    found = _found(ink, lines, image, smallest)
    return found if shrink == 1.0 else _enlarged(found, shrink), shrink


def at_working_size(image: NDArray[np.uint8], side: int = _WORKING_SIDE) -> tuple[NDArray[np.uint8], float]:
    """The image as words are looked for in it, and how many of its own pixels make one of those."""
    longest = max(image.shape[:2])
    if longest <= side * _NEARLY:
        return image, 1.0
    shrink = longest / side
    size = (max(1, round(image.shape[1] / shrink)), max(1, round(image.shape[0] / shrink)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), shrink


def _found(
    ink: Ink, lines: Sequence[Box] | None, image: NDArray[np.uint8], smallest: float = 0.0
) -> Segmentation:
    """Words by the gaps in lines, which are detected or given; frames are taken out first."""
    scan, width = ink.shape, ink.shape[1]
    pieces = components_of(ink)
    frames = [] if lines else find_frames(pieces, pieces.letter_height)
    if frames:
        ink = without_frames(ink, pieces.labels, frames)
        pieces = components_of(ink)
    sideways = not lines and runs_sideways(pieces.mask)
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
    if size < smallest:
        return Segmentation((), size, width, None)
    words = _cut(ink, strokes, words_of_strokes(strokes, size), rotation, scan)
    upright = upright_evidence(upright_features(strokes, size, words))
    column = _column_width(words)
    if not lines and not sideways:
        words = tuple(with_kinds(words, frames, image, size, spacing))
    return Segmentation(words, size, width, column, upright, sideways, spacing)


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


def _around(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Box:
    """Bounding box of pixels, clipped at 0 where a rotation moved them over the edge."""
    y, x = max(0, int(rows.min())), max(0, int(columns.min()))
    return Box(x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1)


def _at_edge(box: Box, scan: tuple[int, ...]) -> bool:
    """Whether ink reaches the outermost pixels, or those beside them, of a scan (height, width)."""
    height, width = scan[:2]
    return min(box.x, box.y, width - box.x - box.width, height - box.y - box.height) <= 1
