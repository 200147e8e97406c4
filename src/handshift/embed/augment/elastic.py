"""An unsteady hand: the paper is stretched a little, smoothly, here and there."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
SMOOTHNESS = 8.0
"""Pixels over which the displacement is even: about half a letter, so that letters bend and do not tear."""


def elastic(picture: Picture, rng: np.random.Generator, pixels: float) -> Picture:
    """x' = x + d(x), d being white noise smoothed by a Gaussian and brought to a spread of `pixels`."""
    height, width = picture.shape
    noise = rng.standard_normal((2, height, width)).astype(np.float32)
    field = np.stack([cv2.GaussianBlur(plane, (0, 0), SMOOTHNESS) for plane in noise])  # (2, h, w)
    field *= np.float32(pixels) / field.std()
    y, x = np.mgrid[:height, :width].astype(np.float32)
    return cv2.remap(picture, x + field[0], y + field[1], cv2.INTER_LINEAR)
