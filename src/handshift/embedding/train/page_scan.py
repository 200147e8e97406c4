"""Another scan of all words of a page: a coarser resolution, and a scale that was measured a little off."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
_COARSEST = 0.6
"""Least resolution relative to the page's: of 150 dpi, 90."""
_SCALE_ERROR = 0.1
"""Standard deviation of ln(scale), as between a line image and its page."""
_LARGEST_ERROR = 0.35
"""Of ln(scale): a word half as large again would leave the canvas."""


@dataclass(frozen=True, slots=True)
class PageScan:
    """How the scan of a page differs from the one that was cut."""

    resolution: float = 1.0
    """Relative to the page's own, at most 1; the word is enlarged again."""
    scale: float = 1.0
    """Measured size of the writing relative to the page's own."""

    @classmethod
    def drawn(cls, rng: np.random.Generator, coarser: float, scale_error: float) -> PageScan:
        """A random scan.

        Args:
            rng: Source of randomness.
            coarser: Probability of a lower resolution.
            scale_error: Factor of the standard deviation of ln(scale), which is 0.1.
        """
        low = bool(coarser) and rng.random() < coarser
        error = _SCALE_ERROR * scale_error * rng.normal() if scale_error else 0.0
        resolution = rng.uniform(_COARSEST, 1) if low else 1.0
        return cls(float(resolution), float(np.exp(np.clip(error, -_LARGEST_ERROR, _LARGEST_ERROR))))

    def __call__(self, picture: Picture) -> Picture:
        """The word as this scan would have left it, on a canvas of the same size: (height, width)."""
        height, width = picture.shape
        if self.scale != 1:
            middle = (1 - self.scale) / 2 * np.array([width - 1, height - 1])
            matrix = np.column_stack([self.scale * np.eye(2), middle])
            picture = cv2.warpAffine(picture, matrix, (width, height))
        if self.resolution < 1:
            small = (max(1, round(width * self.resolution)), max(1, round(height * self.resolution)))
            coarse = cv2.resize(picture, small, interpolation=cv2.INTER_AREA)
            picture = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_LINEAR)
        return picture
