"""`Word` and `Page`: the result of segmentation."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handshift.page.view import WHOLE_SCAN, View
from handshift.page.word_kind import WordKind


class Box(NamedTuple):
    """A rectangle in page pixels; x grows to the right, y downwards."""

    x: int
    y: int
    width: int
    height: int

    def apart(self, other: Box) -> int:
        """Pixels between two boxes along the axis where they are further apart; below 0 if they meet."""
        across = max(self.x, other.x) - min(self.x + self.width, other.x + other.width)
        return max(across, max(self.y, other.y) - min(self.y + self.height, other.y + other.height))


@dataclass(frozen=True, slots=True)
class Word:
    """One word or other mark: its position, its kind, and its ink without that of its neighbours."""

    box: Box
    line: int
    """Line number in reading order, from 0."""
    ink: NDArray[np.uint8] = field(repr=False, compare=False)
    """0 paper to 255 full ink, without the strokes of neighbouring words; fine scans are shrunk for it."""
    text: str | None = None
    cut_off: bool = False
    """Whether the edge of the scan runs through it."""
    kind: WordKind = WordKind.WRITING
    """Only writing is compared."""
    added: bool = False
    """Whether it stands in a line beside the text: squeezed in between two lines, or in the margin."""


@dataclass(frozen=True, slots=True)
class Page:
    """A scan and its words in reading order."""

    image: NDArray[np.uint8] = field(repr=False)
    """Upright RGB pixels of the sheet, height × width × 3; boxes of words are in its pixels."""
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
    view: View = WHOLE_SCAN
    """How the scan was turned and straightened to become `image`."""
    synthetic: bool = False
    """Whether the file says that a program drew the page."""
    dpi: float | None = None
    """Pixels of `image` per inch of paper, where the file says so; not of a sheet straightened in a photo."""

    @property
    def scan_size(self) -> tuple[int, int]:
        """Width and height of the scan, of which `image` may be a part."""
        height, width = self.image.shape[:2]
        return (width, height) if self.view.is_whole_scan else self.view.scan

    def on_scan(self, box: Box) -> Box:
        """The box, in pixels of the scan, around a box of the page."""
        if self.view.is_whole_scan:
            return box
        right, bottom = box.x + box.width - 1, box.y + box.height - 1
        corners = [(box.x, box.y), (right, box.y), (right, bottom), (box.x, bottom)]
        points = np.rint(self.view.to_scan(np.array(corners, np.float64))).astype(int)
        (x, y), (right, bottom) = points.min(axis=0), points.max(axis=0)
        x, y = max(0, int(x)), max(0, int(y))
        return Box(x, y, int(right) - x + 1, int(bottom) - y + 1)

    def without_pixels(self) -> Page:
        """The same page in little memory: image and ink keep their sizes, but not their content."""
        height, width = self.image.shape[:2]
        none = np.zeros((1, 1), np.uint8)
        words = tuple(replace(word, ink=none) for word in self.words)
        return replace(self, image=np.empty((height, width, 0), np.uint8), words=words)
