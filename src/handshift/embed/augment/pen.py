"""Another pen: thicker or thinner, stronger or fainter."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def other_stroke(picture: Picture, rng: np.random.Generator, depth: float = 1.0) -> Picture:
    """Strokes up to a pixel or two wider or narrower, the change mixed in by a random share × `depth`."""
    kernel = np.ones((2, 2) if rng.random() < 0.5 else (3, 3), np.uint8)
    other = (cv2.dilate if rng.random() < 0.5 else cv2.erode)(picture, kernel)
    share = depth * float(rng.uniform(0.2, 0.9 if kernel.shape[0] == 2 else 0.6))
    return cv2.addWeighted(picture, 1 - share, other, share, 0)


def other_ink(picture: Picture, rng: np.random.Generator, strength: float = 1.0) -> Picture:
    """v' = a·v^γ, ln γ ~ N(0, 0.3²) and a in 0.75…1.15, both spreads × `strength`."""
    curve = np.exp(rng.normal(0, 0.3 * strength))
    full = rng.uniform(1 - 0.25 * strength, 1 + 0.15 * strength)
    table = np.clip(255.0 * full * (np.arange(256) / 255.0) ** curve, 0, 255).astype(np.uint8)
    return cv2.LUT(picture, table)
