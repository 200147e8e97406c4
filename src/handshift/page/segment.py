"""A scan becomes words in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.page.gaps import words_of_strokes
from handshift.page.given import GivenWord
from handshift.page.ink import Ink, ink_map, ink_mask
from handshift.page.lines import Mask, cores_of_boxes, line_cores, line_spacing, skew
from handshift.page.strokes import Strokes, strokes_by_line, x_height
from handshift.page.turn import Turn, levelling
from handshift.page.word import Box, Word

_SPACING_TO_LETTER = 0.28
"""Height of small letters over the distance of lines, in ordinary writing."""


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The words of a page, and the one pen scale they share."""

    words: tuple[Word, ...]
    letter_size: float


def segment(image: NDArray[np.uint8], given: Sequence[GivenWord] | None = None) -> Segmentation:
    """Find the words of an upright RGB page, or cut them where a given segmentation says."""
    ink = ink_map(image)
    mask = ink_mask(ink)
    if given and not any(piece.whole_line for piece in given):
        return Segmentation(_cut_boxes(ink, mask, given), _found(ink, mask, None).letter_size)
    return _found(ink, mask, given)


def _found(ink: Ink, mask: Mask, lines: Sequence[GivenWord] | None) -> Segmentation:
    """Words by the gaps in lines that are found, or given."""
    turn = None if lines else levelling(mask.shape, skew(mask))
    if turn:
        ink = turn.apply(ink)
        mask = ink_mask(ink)
    spacing = line_spacing(mask)
    if spacing == 0:
        return Segmentation((), 0.0)
    cores = cores_of_boxes([line.box for line in lines], mask.shape) if lines else line_cores(mask, spacing)
    if not cores.any():
        return Segmentation((), 0.0)
    strokes = strokes_by_line(mask, cores, spacing)
    # The x-height alone is a noisy measure; what room the writer gives the lines steadies it.
    size = float(np.sqrt(x_height(strokes, spacing) * _SPACING_TO_LETTER * spacing))
    return Segmentation(_cut(ink, strokes, words_of_strokes(strokes, size), turn), size)


def _cut(ink: Ink, strokes: Strokes, word_of: NDArray[np.int64], turn: Turn | None) -> tuple[Word, ...]:
    """One crop a word, holding its own strokes only."""
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
        box = _around(*turn.undo(rows, columns)) if turn else box
        words.append(Word(box, int(strokes.line[at[0]]) - 1, crop))
    return tuple(words)


def _cut_boxes(ink: Ink, mask: Mask, given: Sequence[GivenWord]) -> tuple[Word, ...]:
    """The ink inside each given box."""
    words = []
    for piece in given:
        x, y, width, height = piece.box
        inside = slice(y, y + height), slice(x, x + width)
        words.append(Word(piece.box, piece.line, ink[inside] * mask[inside], piece.text))
    return tuple(words)


def _around(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Box:
    """The smallest box that holds these pixels; what a turn moved over the edge is held back."""
    y, x = max(0, int(rows.min())), max(0, int(columns.min()))
    return Box(x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1)
