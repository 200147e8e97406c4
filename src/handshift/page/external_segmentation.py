"""A segmentation from another program: words or lines in PAGE-XML or ALTO that come with the scan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from handshift.core.errors import PageError
from handshift.page.word import Box

SHAPE_TOLERANCE = 0.02  # a scan cropped by a few rows still is the same scan


class Extent(NamedTuple):
    """A rectangle in the units of its file; right and bottom lie just outside."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, points: list[float], thickness: float = 0.0) -> Extent | None:
        """Bounding box of points.

        Args:
            points: x₁ y₁ x₂ y₂ …
            thickness: 1 where points name pixels, 0 where they name corners.

        Returns:
            The box; None without points or with an odd number of coordinates.
        """
        xs, ys = points[0::2], points[1::2]
        if not xs or len(xs) != len(ys):
            return None
        return cls(min(xs), min(ys), max(xs) + thickness, max(ys) + thickness)


@dataclass(frozen=True, slots=True)
class ExternalWord:
    """A word, or a whole line still to be split into words, in pixels of the scan."""

    box: Box
    line: int
    """Line number in reading order, from 0."""
    text: str | None = None
    whole_line: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A word or a line as the file gives it, in the file's own units."""

    extent: Extent
    line: int
    text: str | None
    whole_line: bool


@dataclass(frozen=True, slots=True)
class ExternalSegmentation:
    """The segmentation of one page in the units of its file."""

    source: Path
    pieces: tuple[Piece, ...]
    width: float | None = None
    """Of the page in the file's units, where it says so."""
    height: float | None = None
    units_per_inch: float | None = None
    """None when the file counts pixels."""

    def fitted_to(self, width: int, height: int, dpi: float | None = None) -> tuple[ExternalWord, ...]:
        """Scale the pieces to a scan and clip them to it.

        Args:
            width: Width of the scan in pixels.
            height: Height of the scan in pixels.
            dpi: Resolution of the scan, for files that measure in millimetres or inches.

        Returns:
            Words and lines in pixels of the scan.

        Raises:
            PageError: A piece lies outside of the scan, the page's proportions differ, or the scale is
                unknown.
        """
        across, down = self._scale(width, height, dpi)
        words = []
        for piece in self.pieces:
            left, right = round(piece.extent.left * across), round(piece.extent.right * across)
            top, bottom = round(piece.extent.top * down), round(piece.extent.bottom * down)
            x, y = max(left, 0), max(top, 0)
            box = Box(x, y, min(max(right, left + 1), width) - x, min(max(bottom, top + 1), height) - y)
            if box.width <= 0 or box.height <= 0:
                raise PageError(
                    self.source,
                    f"line {piece.line + 1} has a box at {left},{top} that lies outside of the "
                    f"{width}×{height} scan; the file belongs to another scan",
                )
            words.append(ExternalWord(box, piece.line, piece.text, piece.whole_line))
        return tuple(words)

    def _scale(self, width: int, height: int, dpi: float | None) -> tuple[float, float]:
        if self.width and self.height:
            across, down = width / self.width, height / self.height
            if abs(across / down - 1) > SHAPE_TOLERANCE:
                raise PageError(
                    self.source,
                    f"describes a page of {self.width:g}×{self.height:g}, but the scan has {width}×{height} "
                    "pixels; it belongs to another scan or one that is rotated",
                )
            return across, down
        if self.units_per_inch is None:
            return 1.0, 1.0
        if dpi is None:
            raise PageError(
                self.source,
                "measures in millimetres or inches, but neither it nor the scan states the resolution; "
                "add WIDTH and HEIGHT to its Page, or dpi to the scan",
            )
        return dpi / self.units_per_inch, dpi / self.units_per_inch
