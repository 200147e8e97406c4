"""Found pictures on one sheet, ink dark on white paper."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

GAP = 6


def sheet(pictures: NDArray[np.uint8], columns: int = 4, least_height: int = 64) -> NDArray[np.uint8]:
    """(n, height, width) → one grey picture in rows of `columns`; small ones are enlarged."""
    factor = -(-least_height // pictures.shape[1])
    shown = [
        cv2.resize(255 - one, None, fx=factor, fy=factor, interpolation=cv2.INTER_CUBIC) for one in pictures
    ]
    height, width = shown[0].shape
    rows = -(-len(shown) // columns)
    page = np.full((rows * (height + GAP) + GAP, columns * (width + GAP) + GAP), 214, np.uint8)
    for number, one in enumerate(shown):
        y = GAP + number // columns * (height + GAP)
        x = GAP + number % columns * (width + GAP)
        page[y : y + height, x : x + width] = one
    return page


def png(page: NDArray[np.uint8]) -> bytes:
    """The sheet as a file's content."""
    return cv2.imencode(".png", page)[1].tobytes()
