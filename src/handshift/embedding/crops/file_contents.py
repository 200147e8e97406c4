"""What is in a file: a page of words, one word, or any picture; each becomes what the network reads."""

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


class Cut(StrEnum):
    """What one file holds."""

    PAGE = "page"
    """A page: every legible word on it."""
    WORD = "word"
    """One word, close to the edges of its picture."""
    PICTURE = "picture"
    """Anything else, taken whole: a face, a leaf."""


def cut_file(path: Path, cut: Cut) -> NDArray[np.uint8]:
    """(pictures, 64, 240) of one file, in reading order; a page without legible words has none."""
    crops = [_CUTTERS[cut](scan.image) for scan in read_scans(path)]
    return np.concatenate([np.zeros((0, HEIGHT, WIDTH), np.uint8), *crops])


def _page(image: Image) -> NDArray[np.uint8]:
    found = segment(image)
    words = [word for word in found.words if is_legible(word, found.letter_size)]
    return word_crops(words, pen_scale(found))


def _word(image: Image) -> NDArray[np.uint8]:
    """The ink as one word; its letters are brought to the average size, for there is no sheet to go by."""
    ink = ink_map(image)
    x, y, width, height = cv2.boundingRect(cv2.threshold(ink, 95, 255, cv2.THRESH_BINARY)[1])
    if not width or not height:
        return np.zeros((0, HEIGHT, WIDTH), np.uint8)
    word = Word(Box(x, y, width, height), 0, ink[y : y + height, x : x + width])
    # A lone short word may have too little ink to measure letters by: then half its height will do.
    letters = segment(image).letter_size or height / 2
    return word_crops([word], LETTER_SIZE / letters)


def _picture(image: Image) -> NDArray[np.uint8]:
    """Grey, as high as the canvas."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    factor = min(HEIGHT / grey.shape[0], WIDTH / grey.shape[1])
    size = (max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor)))
    canvas = np.zeros((1, HEIGHT, WIDTH), np.uint8)
    place(canvas[0], cv2.resize(grey, size, interpolation=cv2.INTER_AREA))
    return canvas


_CUTTERS: dict[Cut, Callable[[Image], NDArray[np.uint8]]] = {
    Cut.PAGE: _page,
    Cut.WORD: _word,
    Cut.PICTURE: _picture,
}
