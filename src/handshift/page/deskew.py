"""Pages that lie askew on the glass: turned level for reading, words reported where they stand."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_STEEP = 4.0
"""Degrees; gentler slopes are followed line by line and need no turning, which would blur the strokes."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A rotation that brings sloping lines level; `back` leads to the scan's own pixels."""

    there: NDArray[np.float64]
    back: NDArray[np.float64]
    size: tuple[int, int]
    """Width and height of the turned page, on which no corner is lost."""

    def apply(self, ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Turn an ink map."""
        return cv2.warpAffine(ink, self.there, self.size, flags=cv2.INTER_LINEAR)

    def undo(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows and columns of the scan at which pixels of the turned page lie."""
        x, y = self.back[:, :2] @ np.vstack([columns, rows]) + self.back[:, 2:]
        return np.rint(y).astype(np.int64), np.rint(x).astype(np.int64)


def levelling(shape: tuple[int, ...], angle: float) -> Turn | None:
    """The turn for lines that fall by `angle` degrees to the right; None when it is gentle enough."""
    if abs(angle) < _STEEP:
        return None
    height, width = shape[:2]
    radians = np.radians(angle)
    cosine, sine = abs(np.cos(radians)), abs(np.sin(radians))
    size = (int(np.ceil(width * cosine + height * sine)), int(np.ceil(height * cosine + width * sine)))
    there = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    there[:, 2] += np.array([size[0] - width, size[1] - height]) / 2
    return Turn(there, cv2.invertAffineTransform(there), size)


def skew(mask: NDArray[np.uint8], widest: float = 20.0) -> float:
    """Angle of the writing in degrees, positive when lines fall to the right.

    The angle at which the ink's row profile is sharpest, searched coarsely, then finely.
    """
    rows, columns = np.nonzero(mask[::2, ::2])
    if rows.size < 50:
        return 0.0
    step = max(1, rows.size // 8_000)
    y, x = rows[::step].astype(np.float32), columns[::step].astype(np.float32)

    def sharpness(angle: float) -> float:
        shifted = y - x * np.float32(np.tan(np.radians(angle)))
        profile = np.bincount((shifted - shifted.min()).astype(np.int64)).astype(np.float64)
        return float(np.square(np.diff(np.convolve(profile, np.ones(3), "same"))).sum())

    best = max(np.arange(-widest, widest + 0.5, 2.0), key=lambda angle: sharpness(float(angle)))
    best = max(np.arange(best - 1.5, best + 1.6, 0.5), key=lambda angle: sharpness(float(angle)))
    # A page of one or two lines has a blunt optimum: turn it only when turning clearly helps.
    return float(best) if sharpness(float(best)) > 1.06 * sharpness(0.0) else 0.0
