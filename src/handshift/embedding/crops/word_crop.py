"""A word's ink becomes the picture that the network reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

HEIGHT, WIDTH = 64, 240
LETTER_SIZE = 16.5
"""Height of an average hand's small letters on the canvas."""
_PAGE_WIDTH = 72 * LETTER_SIZE
"""Width of a sheet of letter paper where an average hand's small letters have that height."""
_BELIEVABLE = (0.3, 1.9)
"""A hand is that much smaller or larger than the average.

1.9 is three standard deviations of the logarithm. The smallest is about half of 1/1.9: thin letters set wide
are now and then measured at half their size, on one page of a writer and not on the next.
"""
_COLUMN = 0.81
"""How much of a sheet's width a column of writing takes up, in the middle of many."""
_NARROWEST, _WIDEST = 0.6, 0.93
"""A narrower column of small letters stands on a smaller sheet than the picture; a wider one was clipped."""
_SMALL, _LARGE = 0.8, 1.3
"""Over the average: smaller letters bear out a narrow column, larger ones are not believed of a clipping."""
_FULL_INK = 85
"""Percentile of a word's own ink that is drawn as full black: a darker pen is not another hand."""


READING = 3
"""Grows when other words are taken for legible or drawn at another scale, so that old cuts are made anew."""
MANNER = f"{HEIGHT}x{WIDTH}, letters {LETTER_SIZE}, reading {READING}"
"""All that decides what a network sees of a page; what was fitted for another manner is not valid."""

CANVASES = (96, 144, WIDTH)
"""Widths at which words are read: a short word need not carry a long one's empty paper."""


def is_legible(word: Word, letter_size: float) -> bool:
    """Whether a word has something to say of its writer: more ink than a dot or a lone stroke, and all of it.

    What is left of a word that the edge of the scan runs through looks like nothing that its writer wrote.
    """
    height, width = word.ink.shape
    return not word.cut_off and width >= letter_size and height >= 0.6 * letter_size


class Measured(Protocol):
    """What is known of a page's size, in pixels of its words' ink."""

    @property
    def letter_size(self) -> float:
        """Height of small letters."""

    @property
    def sheet_width(self) -> int:
        """Width of the picture."""

    @property
    def column_width(self) -> int | None:
        """Width of the writing, if there is enough of it to fill a sheet's width."""


def pen_scale(page: Measured) -> float:
    """Factor from a page's pixels to the canvas's, one for all its words and the same at any resolution.

    How large someone writes is a trait of the hand, so the sheet is what brings pages to one scale; a file's
    stated resolution is too often wrong. A picture may show less than the sheet, or more: its column of
    writing then tells how wide the sheet is. Where letters would still be of unbelievable size (a corner of a
    page, a double page), they are brought to the average size instead.
    """
    factor, (smallest, largest) = _PAGE_WIDTH / page.sheet_width, _BELIEVABLE
    if page.column_width is not None:
        filled = page.column_width / page.sheet_width
        clipped = filled > _WIDEST
        if clipped or (filled < _NARROWEST and page.letter_size * factor < _SMALL * LETTER_SIZE):
            factor *= _COLUMN / filled
            largest = _LARGE if clipped else largest
    if smallest <= page.letter_size * factor / LETTER_SIZE <= largest:
        return factor
    return LETTER_SIZE / page.letter_size


def word_crops(words: Sequence[Word], scale: float) -> NDArray[np.uint8]:
    """Draw each word in the middle of its own canvas; (words, 64, 240), 0 paper, 255 ink.

    Words larger than the canvas are cut at its edges rather than shrunk, so that stroke width and letter
    size stay comparable.
    """
    crops = np.zeros((len(words), HEIGHT, WIDTH), np.uint8)
    for crop, word in zip(crops, words, strict=True):
        place(crop, _scaled(word.ink, scale))
    return crops


def _scaled(ink: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    strong = ink[ink > 95]
    full = float(np.percentile(strong, _FULL_INK)) if strong.size else 255.0
    ink = cv2.convertScaleAbs(ink, alpha=255.0 / full)
    if abs(factor - 1) < 0.02:
        return ink
    size = (max(1, round(ink.shape[1] * factor)), max(1, round(ink.shape[0] * factor)))
    return cv2.resize(ink, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)


def place(canvas: NDArray[np.uint8], ink: NDArray[np.uint8]) -> None:
    """Centre the ink on the canvas, cutting what stands over."""
    y, x = (canvas.shape[0] - ink.shape[0]) // 2, (canvas.shape[1] - ink.shape[1]) // 2
    inner = ink[max(0, -y) : max(0, -y) + canvas.shape[0], max(0, -x) : max(0, -x) + canvas.shape[1]]
    y, x = max(0, y), max(0, x)
    canvas[y : y + inner.shape[0], x : x + inner.shape[1]] = inner


def by_width(crops: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Rows of the crops and their pictures, cut to the narrowest canvas that holds the word.

    The canvas depends on the word alone, so that its vector does not depend on its neighbours. Where the
    pictures are smaller than `WIDTH`, so are the canvases.
    """
    full = crops.shape[2]
    canvases = [width * full // WIDTH for width in CANVASES]
    inked = crops.any(axis=1)  # (words, width)
    from_middle = np.abs(np.arange(full) - (full - 1) / 2)
    wanted = 2 * (inked * from_middle).max(axis=1, initial=0)  # ink is centred
    canvas = np.searchsorted(canvases, wanted)
    for index, width in enumerate(canvases):
        rows = np.flatnonzero(np.minimum(canvas, len(canvases) - 1) == index)
        if rows.size:
            start = (full - width) // 2
            yield rows, crops[rows, :, start : start + width]


def ink_lengths(crops: NDArray[np.uint8]) -> NDArray[np.int64]:
    """(words,) columns that hold ink."""
    parts = [crops[at : at + 8192].any(axis=1).sum(axis=1) for at in range(0, len(crops), 8192)]
    return np.concatenate([np.zeros(0, np.int64), *parts])
