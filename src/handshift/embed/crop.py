"""A word's ink becomes the picture that the network reads."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word

HEIGHT, WIDTH = 64, 160
LETTER_SIZE = 15.0
"""Every page is scaled so that its small letters have this height: one pen scale for all its words."""
_FULL_INK = 85
"""Percentile of a word's own ink that is drawn as full black: a darker pen is not another hand."""


def is_legible(word: Word, letter_size: float) -> bool:
    """Whether a word holds enough ink to say anything of its writer: more than a dot or a lone stroke."""
    height, width = word.ink.shape
    return width >= letter_size and height >= 0.6 * letter_size


def word_crops(words: Sequence[Word], letter_size: float) -> NDArray[np.uint8]:
    """Draw each word in the middle of its own canvas; (words, 64, 160), 0 paper, 255 ink.

    Words larger than the canvas are cut at its edges rather than shrunk, so that stroke width and letter
    size stay comparable.
    """
    crops = np.zeros((len(words), HEIGHT, WIDTH), np.uint8)
    for crop, word in zip(crops, words, strict=True):
        _place(crop, _scaled(word.ink, LETTER_SIZE / letter_size))
    return crops


def _scaled(ink: NDArray[np.uint8], factor: float) -> NDArray[np.uint8]:
    strong = ink[ink > 95]
    full = float(np.percentile(strong, _FULL_INK)) if strong.size else 255.0
    ink = cv2.convertScaleAbs(ink, alpha=255.0 / full)
    if abs(factor - 1) < 0.02:
        return ink
    size = (max(1, round(ink.shape[1] * factor)), max(1, round(ink.shape[0] * factor)))
    return cv2.resize(ink, size, interpolation=cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR)


def _place(canvas: NDArray[np.uint8], ink: NDArray[np.uint8]) -> None:
    """Centre the ink on the canvas, cutting what stands over."""
    y, x = (canvas.shape[0] - ink.shape[0]) // 2, (canvas.shape[1] - ink.shape[1]) // 2
    inner = ink[max(0, -y) : max(0, -y) + canvas.shape[0], max(0, -x) : max(0, -x) + canvas.shape[1]]
    y, x = max(0, y), max(0, x)
    canvas[y : y + inner.shape[0], x : x + inner.shape[1]] = inner
