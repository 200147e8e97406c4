"""`Scaling`: what the scale of a page's crops is taken from, which each word network was trained with."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.core.onnx_metadata import onnx_metadata
from handshift.embedding.crops.word_crop import CROP_FORMAT, HEIGHT, WIDTH, Measured, is_legible, pen_scale
from handshift.embedding.crops.word_crop import word_crops as crops_by_sheet
from handshift.embedding.crops.writing_scale import SPREAD, is_whole, scaled_crops, writing_scale
from handshift.page.word import Word
from handshift.page.word_kind import WordKind

KEY = "scale"
"""Of a network's metadata; a network without it was trained with crops by the sheet."""
_ADDED, _FEWEST = 0.7, 3
"""Size of letters between the lines and in the margin, relative to the text's, and number of such words from
which on their own scale is measured. Of a note in a small hand beside a large one all words were left out."""
_SMALLEST = 0.5
"""Least size of such a note relative to the text: accents that stand as a line of their own are smaller."""
_WRITING_VERSION = 1
"""Incremented when crops by the writing change, so that what was fitted to other crops is refused."""


class SegmentedPage(Measured, Protocol):
    """A page whose words are known, and its measured sizes."""

    @property
    def words(self) -> tuple[Word, ...]:
        """All words in reading order."""


class Scaling(StrEnum):
    """What the scale of a page's crops is taken from."""

    SHEET = "sheet"
    """The width of the sheet: letters keep their size, but a clipping or a photo has no sheet."""
    WRITING = "writing"
    """The vertical spread of the writing itself, whatever the picture shows beside it."""

    @property
    def crop_format(self) -> str:
        """All that decides what a network is given of a page, for fingerprints."""
        if self is Scaling.SHEET:
            return CROP_FORMAT
        return f"{HEIGHT}x{WIDTH}, spread {SPREAD}, writing {_WRITING_VERSION}"

    def legible(self, page: SegmentedPage) -> NDArray[np.bool_]:
        """(words,) whether a word is written, and large and whole enough to be compared."""
        added = np.array([self is Scaling.WRITING and word.added for word in page.words], bool)
        sizes = np.where(added, _ADDED, 1.0) * page.letter_size
        large = np.array(
            [
                word.kind is WordKind.WRITING and is_legible(word, size)
                for word, size in zip(page.words, sizes, strict=True)
            ],
            bool,
        )
        if self is Scaling.SHEET or not large.any():
            return large
        scale = writing_scale([page.words[at].ink for at in np.flatnonzero(large)])
        own = np.flatnonzero(large & added)
        smaller = writing_scale([page.words[at].ink for at in own]) if own.size >= _FEWEST else scale
        scales = np.where(added, np.clip(smaller, scale, scale / _SMALLEST), scale)
        # Dots found as a line of their own, as above Arabic, are no words, nor do they show the scale.
        return large & np.array([*map(is_whole, page.words, scales)], bool)

    def crops(self, page: Measured, words: Sequence[Word]) -> NDArray[np.uint8]:
        """Draw the legible words of a page, all at one scale.

        Args:
            page: Its measured sizes.
            words: Its legible words.

        Returns:
            (words, 64, 240), 0 paper, 255 ink.
        """
        if not words:  # without letters there is no scale to draw them at
            return np.zeros((0, HEIGHT, WIDTH), np.uint8)
        if self is Scaling.SHEET:
            return crops_by_sheet(words, pen_scale(page))
        return scaled_crops(words, writing_scale([word.ink for word in words]))


def scaling_of(content: bytes) -> Scaling:
    """The scaling that an exported word network was trained with.

    Args:
        content: The .onnx file.

    Raises:
        HandshiftError: It needs crops that this version cannot make.
    """
    return scaling_named(onnx_metadata(content).get(KEY))


def scaling_named(name: str | None) -> Scaling:
    """The scaling of that name in a network's metadata.

    Raises:
        HandshiftError: There is no such scaling.
    """
    try:
        return Scaling(name or Scaling.SHEET)
    except ValueError as error:
        raise HandshiftError(
            f"a word network for crops scaled by {name!r}, which this version of handshift cannot make"
        ) from error
