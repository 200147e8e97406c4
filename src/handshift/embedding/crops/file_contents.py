"""Crops of one file: a page of words, a single word, or any picture as a whole."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.crops.word_crop import HEIGHT, LETTER_SIZE, WIDTH, place, word_crops
from handshift.embedding.crops.writing_scale import is_whole, scaled_crops, writing_scale
from handshift.page.ink import ink_map
from handshift.page.scan import read_scans
from handshift.page.segment import segment
from handshift.page.word import Box, Word

Image = NDArray[np.uint8]
Crops = NDArray[np.uint8]

_NONE = np.zeros((0, HEIGHT, WIDTH), np.uint8)
_MARGIN, _SMALLEST = 24, 4
"""Pixels of paper added round a picture of a word, and fewest pixels of a word's height and width."""


class FileContents(StrEnum):
    """What one file holds."""

    PAGE = "page"
    """A page, of which every legible word is cut out."""
    WORD = "word"
    """One word that fills its picture."""
    PICTURE = "picture"
    """Any other picture, used as a whole: a face, a leaf."""


def file_crops(path: Path, cut: FileContents, scaling: Scaling = Scaling.SHEET) -> Crops:
    """Cut one file into crops.

    Args:
        path: A scan; PDF and TIFF may have several pages.
        cut: What the file holds.
        scaling: What the scale of pages and words is taken from.

    Returns:
        (words, 64, 240) in reading order; empty without legible words.

    Raises:
        PageError: The file cannot be read.
    """
    crops = [image_crops(scan.image, cut, scaling) for scan in read_scans(path)]
    return np.concatenate([_NONE, *crops])


def image_crops(image: Image, cut: FileContents, scaling: Scaling) -> Crops:
    """Cut one picture that is in memory; as `file_crops`."""
    if cut is FileContents.PICTURE:
        return _picture(image)
    if cut is FileContents.WORD:
        return _word_by_sheet(image) if scaling is Scaling.SHEET else _word_by_writing(image)
    found = segment(image)
    legible = scaling.legible(found)
    return scaling.crops(
        found, [word for word, readable in zip(found.words, legible, strict=True) if readable]
    )


def _word_by_sheet(image: Image) -> Crops:
    """All ink as one word, scaled to the average letter size because the sheet's width is unknown."""
    word = all_ink(image)
    if word is None:
        return _NONE
    # A short word may have too little ink to measure the letter size: then half its height is used.
    letters = segment(image).letter_size or word.box.height / 2
    return word_crops([word], LETTER_SIZE / letters)


def _word_by_writing(image: Image) -> Crops:
    """All ink as one word at the scale of its own writing; none where it is smaller than a letter."""
    word = lone_word(image)
    if word is None:
        return _NONE
    scale = writing_scale([word.ink])
    return scaled_crops([word], scale) if is_whole(word, scale) else _NONE


def lone_word(image: Image) -> Word | None:
    """All ink of a picture as one word; None where there is next to none."""
    word = all_ink(with_margin(image))
    return word if word is not None and min(word.ink.shape) >= _SMALLEST else None


def with_margin(image: Image) -> Image:
    """Paper round a picture without a sheet, whose words must not touch the edge of the scan."""
    paper = [float(np.percentile(image[..., channel], 90)) for channel in range(3)]
    return cv2.copyMakeBorder(image, *[_MARGIN] * 4, cv2.BORDER_CONSTANT, value=paper)


def all_ink(image: Image) -> Word | None:
    """All ink of a picture as one word, where it stands; None without ink."""
    ink = ink_map(image)
    x, y, width, height = cv2.boundingRect(cv2.threshold(ink, 95, 255, cv2.THRESH_BINARY)[1])
    if not width or not height:
        return None
    return Word(Box(x, y, width, height), 0, ink[y : y + height, x : x + width])


def _picture(image: Image) -> Crops:
    """The picture in grey, fitted to the canvas."""
    grey = cv2.cvtColor(image, cv2.COLOR_RGB2GRAY)
    factor = min(HEIGHT / grey.shape[0], WIDTH / grey.shape[1])
    size = (max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor)))
    canvas = np.zeros((1, HEIGHT, WIDTH), np.uint8)
    place(canvas[0], cv2.resize(grey, size, interpolation=cv2.INTER_AREA))
    return canvas
