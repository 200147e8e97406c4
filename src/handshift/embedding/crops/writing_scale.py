"""The scale at which words are drawn for the network, taken from the writing and not from the sheet.

How large letters are is measured by the vertical spread of ink: the standard deviation of its rows about
their mean, within pieces of a word that are short enough for a sloping line not to count. A letter's
x-height falls to half where the two edges of a profile are taken for one; a standard deviation has no such
jump. Over 30 CSAFE writers a page measured at 100 dpi and at 150 dpi agrees within 0.8 % (x-height with line
spacing: 3.1 %), and one line with its whole page within 9 %; between the spread of Latin and Arabic lines and
of pages there is no offset, where the x-height of a line without its sheet is 15 % less.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.level_percentile import level_percentile
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH, place
from handshift.page.word import Word

Ink = NDArray[np.uint8]

SPREAD = 7.0
"""Pixels of vertical spread on the canvas: small letters are 16.4 high, and 99 % of words less than 64."""
_HEIGHT_OF_SPREAD = 4.6
"""Height of a word over the spread of its page, in the middle of words of five databases."""
_PRIOR_WORDS = 0.5
"""How many words' worth of evidence the heights are: one word "and" has little ink to measure."""
_FAINTEST = 64
_PIECE = 5.0
"""Width of a piece within which the spread is taken, in spreads."""
_FULL_WIDTH = 8.0
"""Spreads of width from which on a word counts in full."""
_FULL_INK = 85
"""Percentile of a word's own ink that is drawn as full black: a darker pen is not another hand."""


def vertical_spread(ink: Ink) -> float:
    """Standard deviation of the rows of ink, in pixels.

    Args:
        ink: (height, width), 0 paper to 255 full ink.

    Returns:
        √(Σ_p Σ_i v_i·(y_i − ȳ_p)² / Σ v_i) over pieces p of the word, ȳ_p being the piece's own mean row;
        0 where there is no ink.
    """
    weight = np.where(ink >= _FAINTEST, ink, 0).astype(np.float64)
    rows = np.arange(ink.shape[0], dtype=np.float64) + 0.5
    whole = _squares(weight.sum(axis=1), rows)
    total = float(weight.sum())
    if total == 0:
        return 0.0
    spread = np.sqrt(whole / total)
    pieces = max(1, round(ink.shape[1] / max(_PIECE * spread, 4.0)))
    parts = np.array_split(weight, pieces, axis=1)
    within = float(np.sum([_squares(part.sum(axis=1), rows) for part in parts]))
    # A level stroke has no spread but its own width; a row is not measured more finely than itself.
    return float(np.sqrt(within / total + 1 / 12))


def _squares(profile: NDArray[np.float64], rows: NDArray[np.float64]) -> float:
    total = float(profile.sum())
    if total == 0:
        return 0.0
    middle = float(profile @ rows) / total
    return float(profile @ np.square(rows - middle))


def writing_scale(inks: Sequence[Ink]) -> float:
    """Factor from the pixels of some ink to those of the canvas, one for all words of a page or line.

    Args:
        inks: The words that share the scale; their sizes relative to each other are kept.

    Returns:
        `SPREAD` over the page's spread. Its logarithm is a weighted mean over words (short ones count less,
        and those off by more than a factor of two from the median not at all) and, as prior, over their
        heights divided by 4.6. 1.0 where there is no ink.
    """
    measured = [(vertical_spread(ink), ink.shape) for ink in inks]
    measured = [(spread, shape) for spread, shape in measured if spread > 0]
    if not measured:
        return 1.0
    spreads = np.log([spread for spread, _ in measured])
    heights = np.log([shape[0] / _HEIGHT_OF_SPREAD for _, shape in measured])
    weights = np.minimum([shape[1] / (_FULL_WIDTH * spread) for spread, shape in measured], 1.0)
    weights *= np.abs(spreads - np.median(spreads)) < np.log(2.0)
    size = (weights @ spreads + _PRIOR_WORDS * heights.mean()) / (weights.sum() + _PRIOR_WORDS)
    return float(SPREAD / np.exp(size))


def is_whole(word: Word, scale: float) -> bool:
    """Whether a word has, at this scale, the size of a letter at least: less says nothing of its writer."""
    height, width = word.ink.shape
    return width * scale >= 2 * SPREAD and height * scale >= 1.5 * SPREAD


def scaled_crops(words: Sequence[Word], scale: float) -> NDArray[np.uint8]:
    """Draw each word in the middle of its own canvas.

    Args:
        words: The words.
        scale: What `writing_scale` gives for them.

    Returns:
        (words, 64, 240), 0 paper, 255 ink. A word taller than the canvas is shrunk as a whole, so that it
        loses no tips; one that is too long is cut at both ends, since every part of it shows the hand.
    """
    crops = np.zeros((len(words), HEIGHT, WIDTH), np.uint8)
    for crop, word in zip(crops, words, strict=True):
        place(crop, _drawn(word.ink, min(scale, HEIGHT / word.ink.shape[0])))
    return crops


def _drawn(ink: Ink, factor: float) -> Ink:
    strong = ink[ink > 95]
    full = level_percentile(strong, _FULL_INK) if strong.size else 255.0
    ink = cv2.convertScaleAbs(ink, alpha=255.0 / full)
    size = (max(1, round(ink.shape[1] * factor)), min(HEIGHT, max(1, round(ink.shape[0] * factor))))
    return cv2.resize(ink, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)
