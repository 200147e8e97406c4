"""Normalises a word's ink to the canvas of the network: scale, contrast, centring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.level_percentile import level_percentile
from handshift.page.word import Word

HEIGHT, WIDTH = 64, 240
LETTER_SIZE = 16.5
"""x-height of an average hand on the canvas, in pixels."""
_PAGE_WIDTH = 72 * LETTER_SIZE
"""Width of a sheet of letter paper at the scale where an average hand has that x-height."""
_PLAUSIBLE = (0.3, 1.9)
"""Range of x-heights relative to the average.

1.9 is three standard deviations of the logarithm. The lower bound is about half of 1/1.9: thin, widely spaced
letters are sometimes measured at half their size, on one page of a writer and not on the next.
"""
_COLUMN = 0.81
"""Median width of a column of writing relative to the sheet."""
_NARROWEST, _WIDEST = 0.6, 0.93
"""A narrower column of small letters means a sheet smaller than the picture, a wider one a clipping."""
_SMALL, _LARGE = 0.8, 1.3
"""x-height over the average: below it a narrow column is accepted, above it a clipping's scale is not."""
_FULL_INK = 85
"""Percentile of a word's own ink that is mapped to full black, so that darkness of the pen is normalised."""


CROP_VERSION = 3
"""Incremented when legibility or scale change, so that cached crops are cut again."""
CROP_FORMAT = f"{HEIGHT}x{WIDTH}, letters {LETTER_SIZE}, reading {CROP_VERSION}"
"""Everything that decides what a network is given of a page; models fitted for another format are refused."""

CANVASES = (96, 144, WIDTH)
"""Widths of the network's input: short words use a narrow canvas, which saves time."""


def is_legible(word: Word, letter_size: float) -> bool:
    """Whether a word is larger than a dot or a single stroke and not cut off by the edge of the scan.

    Args:
        word: The word.
        letter_size: x-height of its page, in pixels.
    """
    height, width = word.ink.shape
    return not word.cut_off and width >= letter_size and height >= 0.6 * letter_size


class Measured(Protocol):
    """Measured sizes of a page, in pixels of its words' ink."""

    @property
    def letter_size(self) -> float:
        """x-height."""

    @property
    def sheet_width(self) -> int:
        """Width of the picture."""

    @property
    def column_width(self) -> int | None:
        """Width of the writing, if there is enough text to fill a sheet's width."""


def pen_scale(page: Measured) -> float:
    """Compute the factor from a page's pixels to canvas pixels, independent of the scan's resolution.

    Letter size is a trait of the hand, so pages are normalised by the sheet's width and not by letter size;
    the resolution stated in files is too often wrong. A picture may show less than the sheet, or more: then
    the width of the column of writing determines the sheet's width. Where the letter size would still be
    implausible (a corner of a page, a double page), letters are scaled to the average size.

    Args:
        page: Measured sizes.

    Returns:
        The factor, one for all words of the page.
    """
    factor, (smallest, largest) = _PAGE_WIDTH / page.sheet_width, _PLAUSIBLE
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
    """Centre each word on its own canvas.

    Words larger than the canvas are cropped rather than shrunk, so that stroke width and letter size stay
    comparable.

    Args:
        words: Words of one page.
        scale: Factor from page pixels to canvas pixels.

    Returns:
        (words, 64, 240), 0 paper, 255 ink.
    """
    crops = np.zeros((len(words), HEIGHT, WIDTH), np.uint8)
    for crop, word in zip(crops, words, strict=True):
        place(crop, _scaled(word.ink, scale))
    return crops


def _scaled(ink: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    strong = ink[ink > 95]
    full = level_percentile(strong, _FULL_INK) if strong.size else 255.0
    ink = cv2.convertScaleAbs(ink, alpha=255.0 / full)
    if abs(factor - 1) < 0.02:
        return ink
    size = (max(1, round(ink.shape[1] * factor)), max(1, round(ink.shape[0] * factor)))
    return cv2.resize(ink, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)


def place(canvas: NDArray[np.uint8], ink: NDArray[np.uint8]) -> None:
    """Centre the ink on the canvas, cropping what does not fit."""
    y, x = (canvas.shape[0] - ink.shape[0]) // 2, (canvas.shape[1] - ink.shape[1]) // 2
    inner = ink[max(0, -y) : max(0, -y) + canvas.shape[0], max(0, -x) : max(0, -x) + canvas.shape[1]]
    y, x = max(0, y), max(0, x)
    canvas[y : y + inner.shape[0], x : x + inner.shape[1]] = inner


def by_width(crops: NDArray[np.uint8]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Group crops by the narrowest canvas that holds the word.

    The canvas depends on the word alone, so that its vector does not depend on its neighbours. Where the
    pictures are narrower than `WIDTH`, so are the canvases.

    Args:
        crops: (words, height, width).

    Yields:
        Row numbers, and their crops cut to one width.
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
    """Count the columns with ink of each crop; (words,)."""
    parts = [crops[at : at + 8192].any(axis=1).sum(axis=1) for at in range(0, len(crops), 8192)]
    return np.concatenate([np.zeros(0, np.int64), *parts])
