"""Another sheet and scan: clouds and grain where the paper was clean, a blur, a part covered."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def background(picture: Picture, rng: np.random.Generator, strength: float) -> Picture:
    """v' = max(v, s·(cloud + grain)): what a poor scan leaves of the paper, 1 being a third of full ink."""
    height, width = picture.shape
    coarse = rng.random((max(2, height // 16), max(2, width // 16))).astype(np.float32)
    cloud = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    grain = rng.random((height, width), np.float32)
    level = 85.0 * strength * rng.random()
    paper = np.clip(level * (0.7 * cloud + 0.3 * grain), 0, 255).astype(np.uint8)
    return np.maximum(picture, paper)


def blurred(picture: Picture, rng: np.random.Generator) -> Picture:
    """A scanner slightly out of focus."""
    return cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 0.9)))


def erased(picture: Picture, rng: np.random.Generator) -> Picture:
    """A rectangle of 2–20 % of the picture is bare paper, so that no single letter decides."""
    height, width = picture.shape
    area, aspect = rng.uniform(0.02, 0.2) * height * width, np.exp(rng.uniform(-1.2, 1.2))
    high = int(np.clip(np.sqrt(area * aspect), 1, height))
    wide = int(np.clip(np.sqrt(area / aspect), 1, width))
    top, left = rng.integers(height - high + 1), rng.integers(width - wide + 1)
    changed = picture.copy()
    changed[top : top + high, left : left + wide] = 0
    return changed
