"""Another placing of the word: it moves within a hand's habit, and a long one is seen through a window."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def placed(
    picture: Picture,
    width: int,
    rng: np.random.Generator,
    strength: float = 1.0,
    shear: float = 0.0,
    stretch: float = 1.0,
) -> Picture:
    """`width` columns of the word, with small shear, turn, scale and shift about the given ones.

    A word wider than `width` is seen through a window: a hand shows in every part of a word.
    """
    angle = rng.normal(0, strength * np.radians(2.0))
    shear += rng.normal(0, strength * 0.05)
    stretch *= np.exp(rng.normal(0, strength * 0.06))
    scale = np.exp(rng.normal(0, strength * 0.07))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = scale * turn @ np.array([[stretch, shear], [0.0, 1.0]])
    columns = np.flatnonzero(picture.any(axis=0))
    first, last = (columns[0], columns[-1] + 1) if columns.size else (0, picture.shape[1])
    # Where in the word the window's middle lies; a word that fits is only shifted a little.
    spare = max((last - first) - 0.9 * width / (scale * stretch), 0.0)
    middle = (first + last + rng.uniform(-spare, spare)) / 2
    x, y = 8 * strength, 4 * strength
    target = np.array([width / 2 + rng.uniform(-x, x), picture.shape[0] / 2 + rng.uniform(-y, y)])
    shift = target - matrix @ np.array([middle, picture.shape[0] / 2])
    return cv2.warpAffine(
        picture, np.column_stack([matrix, shift]), (width, picture.shape[0]), flags=cv2.INTER_LINEAR
    )
