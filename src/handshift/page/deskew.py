"""Deskewing: the angle of the writing, and the rotation that makes its lines level."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

_STEEP = 4.0
"""Degrees; gentler slopes are followed line by line and need no rotation, which would blur the strokes."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """A rotation that makes sloping lines level, and its inverse."""

    there: NDArray[np.float64]
    back: NDArray[np.float64]
    size: tuple[int, int]
    """Width and height of the rotated page, which holds all corners."""

    def apply(self, ink: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Rotate an ink map."""
        return cv2.warpAffine(ink, self.there, self.size, flags=cv2.INTER_LINEAR)

    def undo(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Map pixels of the rotated page back to the scan.

        Args:
            rows: (n,) rows on the rotated page.
            columns: (n,) columns on the rotated page.

        Returns:
            Rows and columns on the scan, (n,) each.
        """
        x, y = self.back[:, :2] @ np.vstack([columns, rows]) + self.back[:, 2:]
        return np.rint(y).astype(np.int64), np.rint(x).astype(np.int64)


def deskew_rotation(shape: tuple[int, ...], angle: float) -> Rotation | None:
    """Build the rotation for lines that fall by ``angle`` degrees to the right.

    Args:
        shape: (height, width) of the page.
        angle: Skew in degrees, as `skew_angle` measures it.

    Returns:
        The rotation; None below 4°, where lines are followed without rotating.
    """
    if abs(angle) < _STEEP:
        return None
    height, width = shape[:2]
    radians = np.radians(angle)
    cosine, sine = abs(np.cos(radians)), abs(np.sin(radians))
    size = (int(np.ceil(width * cosine + height * sine)), int(np.ceil(height * cosine + width * sine)))
    there = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    there[:, 2] += np.array([size[0] - width, size[1] - height]) / 2
    return Rotation(there, cv2.invertAffineTransform(there), size)


def skew_angle(mask: NDArray[np.uint8], widest: float = 20.0) -> float:
    """Angle of the writing in degrees, positive when lines fall to the right.

    The angle at which the row profile of the ink is sharpest, searched coarsely, then finely.

    Args:
        mask: 1 where a stroke is.
        widest: Largest angle searched.

    Returns:
        The angle; 0 where rotating would not clearly sharpen the profile.
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
    # A page of one or two lines has a flat optimum: rotate it only when the profile clearly sharpens.
    return float(best) if sharpness(float(best)) > 1.06 * sharpness(0.0) else 0.0
