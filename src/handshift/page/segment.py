"""A scan becomes words in reading order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.page.gaps import words_of_strokes
from handshift.page.ink import Ink, ink_map, ink_mask
from handshift.page.lines import line_cores, line_spacing
from handshift.page.strokes import Strokes, strokes_by_line, x_height
from handshift.page.word import Box, Word


@dataclass(frozen=True, slots=True)
class Segmentation:
    """The words of a page, and the one pen scale they share."""

    words: tuple[Word, ...]
    letter_size: float


def segment(image: NDArray[np.uint8]) -> Segmentation:
    """Find the words of an upright RGB page."""
    ink = ink_map(image)
    mask = ink_mask(ink)
    spacing = line_spacing(mask)
    if spacing == 0:
        return Segmentation((), 0.0)
    cores = line_cores(mask, spacing)
    if cores.max() == 0:
        return Segmentation((), 0.0)
    strokes = strokes_by_line(mask, cores, spacing)
    # The x-height alone is a noisy measure; what room the writer gives the lines steadies it.
    size = float(np.sqrt(x_height(strokes, spacing) * 0.28 * spacing))
    word_of = words_of_strokes(strokes, size)
    return Segmentation(_cut(ink, strokes, word_of), size)


def _cut(ink: Ink, strokes: Strokes, word_of: NDArray[np.int64]) -> tuple[Word, ...]:
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
        y, x = int(rows.min()), int(columns.min())
        box = Box(x, y, int(columns.max()) - x + 1, int(rows.max()) - y + 1)
        crop = np.zeros((box.height, box.width), np.uint8)
        crop[rows - y, columns - x] = ink[rows, columns]
        words.append(Word(box, int(strokes.line[at[0]]) - 1, crop))
    return tuple(words)
