"""RandomAffine as the source gives it: turn ±7°, shift ±5 %, scale 0.95–1.05, shear ±10°."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
DEGREES, TRANSLATE, SCALE, SHEAR = 7.0, 0.05, 0.05, 10.0


def random_affine(picture: Picture, rng: np.random.Generator, strength: float = 1.0) -> Picture:
    """x' = C + t + s·R(α)·S(φ)·(x − C), all four drawn evenly within their bounds × `strength`.

    C is the middle; S shears x by tan φ of y, as torchvision does with one shear bound.
    """
    height, width = picture.shape
    angle, shear = np.radians(rng.uniform(-1, 1, 2) * (DEGREES, SHEAR) * strength)
    scale = 1 + rng.uniform(-SCALE, SCALE) * strength
    shift = rng.uniform(-TRANSLATE, TRANSLATE, 2) * (width, height) * strength
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = scale * turn @ np.array([[1.0, np.tan(shear)], [0.0, 1.0]])
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    offset = middle + shift - matrix @ middle
    return cv2.warpAffine(picture, np.column_stack([matrix, offset]), (width, height))
