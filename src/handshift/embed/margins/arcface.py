"""ArcFace on a plain head, as one module."""

from __future__ import annotations

from handshift.embed.heads.plain import Plain
from handshift.embed.margins.corners import arcface


class ArcFace(Plain):
    """``Plain(classes, dimensions, arcface(scale, margin))``."""

    def __init__(self, classes: int, dimensions: int, scale: float = 24.0, margin: float = 0.2) -> None:
        super().__init__(classes, dimensions, arcface(scale, margin))
