"""`Word` and `Page`: the result of segmentation."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Box(NamedTuple):
    """A rectangle in page pixels; x grows to the right, y downwards."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Word:
    """One written word: its position, and its ink without that of its neighbours."""

    box: Box
    line: int
    """Line number in reading order, from 0."""
    ink: NDArray[np.uint8] = field(repr=False, compare=False)
    """0 paper to 255 full ink, without the strokes of neighbouring words; fine scans are shrunk for it."""
    text: str | None = None
    cut_off: bool = False
    """Whether the edge of the scan runs through it."""


@dataclass(frozen=True, slots=True)
class Page:
    """A scan and its words in reading order."""

    image: NDArray[np.uint8] = field(repr=False)
    """Upright RGB pixels, height × width × 3."""
    words: tuple[Word, ...]
    source: Path
    sha256: str
    number: int = 0
    """Page within a PDF or multi-page TIFF, from 0."""
    letter_size: float = 0.0
    """Typical height of small letters, in pixels of the words' ink."""
    sheet_width: int = 0
    """Width of the page, in pixels of the words' ink."""
    column_width: int | None = None
    """Width of the writing, likewise, if there are enough lines to measure it."""
