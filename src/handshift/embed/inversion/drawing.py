"""What searched pictures are made of."""

from __future__ import annotations

from enum import StrEnum


class Drawing(StrEnum):
    """A pen's strokes, or free pixels."""

    PEN = "pen"
    PIXELS = "pixels"
