"""Another pen for all words of a page: what changes from day to day must not change the vector."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
_CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8)


@dataclass(frozen=True, slots=True)
class PagePen:
    """How a pen and a scan differ from those of the page."""

    thicker: float
    """Pixels by which strokes grow on either side; negative where they shrink."""
    curve: float
    """Exponent γ of v' = a·v^γ."""
    full: float
    """Factor a."""
    blur: float
    """Standard deviation of the scanner's blur in pixels; 0 is none."""

    @classmethod
    def drawn(cls, rng: np.random.Generator, strength: float) -> PagePen:
        """A random pen; at strength 0 the page's own."""
        thicker = rng.normal(0.1, 0.6) if rng.random() < 0.7 else 0.0
        return cls(
            thicker=float(np.clip(strength * thicker, -0.45, 1.6)),
            curve=float(np.exp(strength * rng.normal(0, 0.3))),
            full=float(1 - strength * rng.uniform(-0.1, 0.25)),
            blur=float(strength * rng.uniform(0.4, 1.0)) if rng.random() < 0.4 else 0.0,
        )

    def __call__(self, picture: Picture) -> Picture:
        """The word as this pen and scan would have left it, (height, width)."""
        changed = _widened(picture, self.thicker)
        table = np.clip(255.0 * self.full * (np.arange(256) / 255.0) ** self.curve, 0, 255).astype(np.uint8)
        changed = cv2.LUT(changed, table)
        return cv2.GaussianBlur(changed, (0, 0), self.blur) if self.blur > 0.2 else changed


def _widened(picture: Picture, pixels: float) -> Picture:
    """Dilate, or erode, by whole pixels and a share of one more, mixed in."""
    change = cv2.dilate if pixels > 0 else cv2.erode
    left = abs(pixels)
    while left >= 1:
        picture, left = change(picture, _CROSS), left - 1
    if left < 0.05:
        return picture
    return cv2.addWeighted(picture, 1 - left, change(picture, _CROSS), left, 0)
