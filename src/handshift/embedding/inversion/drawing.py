"""Choice of the parametrisation of inverted pictures; imports no torch, for the command line."""

from __future__ import annotations

from enum import StrEnum


class Drawing(StrEnum):
    """Parametrisation of inverted pictures: pen strokes, or free pixels (for faces and the like)."""

    PEN = "pen"
    PIXELS = "pixels"
