"""Crops of one file: a page of words, a single word, or any picture as a whole."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.embedding.crops.word_crop import (
    HEIGHT,
    LETTER_SIZE,
    WIDTH,
    is_legible,
    pen_scale,
    place,
    word_crops,
)
from handshift.page.ink import ink_map
from handshift.page.scan import read_scans
from handshift.page.segment import segment
from handshift.page.word import Box, Word

Image = NDArray[np.uint8]


class FileContents(StrEnum):
    """What one file holds."""

    PAGE = "page"
    """A page, of which every legible word is cut out."""
    WORD = "word"
    """One word that fills its picture."""
    PICTURE = "picture"
    """Any other picture, used as a whole: a face, a leaf."""


def file_crops(path: Path, cut: FileContents) -> NDArray[np.uint8]:
    """Cut one file into crops.

    Args:
        path: A scan; PDF and TIFF may have several pages.
        cut: What the file holds.

    Returns:
        (words, 64, 240) in reading order; empty without legible words.

    Raises:
        PageError: The file cannot be read.
    """
    crops = [_CUTTERS[cut](scan.image) for scan in read_scans(path)]
    return np.concatenate([np.zeros((0, HEIGHT, WIDTH), np.uint8), *crops])


def _page(image: Image) -> NDArray[np.uint8]:
    found = segment(image)
    words = [word for word in found.words if is_legible(word, found.letter_size)]
    return word_crops(words, pen_scale(found))


def measured_word(image: Image) -> tuple[Word, float] | None:
    """Take all ink of a picture as one word.

    Args:
        image: RGB pixels, height × width × 3.

    Returns:
        The word, and the x-height of its letters in pixels; None without ink.
    """
    ink = ink_map(image)
    x, y, width, height = cv2.boundingRect(cv2.threshold(ink, 95, 255, cv2.THRESH_BINARY)[1])
    if not width or not height:
        return None
    word = Word(Box(x, y, width, height), 0, ink[y : y + height, x : x + width])
    # A short word may have too little ink to measure the letter size: then half its height is used.
    return word, segment(image).letter_size or height / 2


def _word(image: Image) -> NDArray[np.uint8]:
    """The word, scaled to the average letter size because the sheet's width is unknown."""
    found = measured_word(image)
    if found is None:
        return np.zeros((0, HEIGHT, WIDTH), np.uint8)
    word, letters = found
    return word_crops([word], LETTER_SIZE / letters)


def _picture(image: Image) -> NDArray[np.uint8]:
    """The picture in grey, fitted to the canvas."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    factor = min(HEIGHT / grey.shape[0], WIDTH / grey.shape[1])
    size = (max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor)))
    canvas = np.zeros((1, HEIGHT, WIDTH), np.uint8)
    place(canvas[0], cv2.resize(grey, size, interpolation=cv2.INTER_AREA))
    return canvas


_CUTTERS: dict[FileContents, Callable[[Image], NDArray[np.uint8]]] = {
    FileContents.PAGE: _page,
    FileContents.WORD: _word,
    FileContents.PICTURE: _picture,
}
