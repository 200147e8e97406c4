"""Changes that leave the hand alone: another pen, another scan, another placing of the crop."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def augmented(picture: Picture, rng: np.random.Generator) -> Picture:
    """One random variant of a word picture."""
    changed = _move(picture, rng)
    changed = _change_pen(changed, rng)
    if rng.random() < 0.3:
        changed = cv2.GaussianBlur(changed, (0, 0), float(rng.uniform(0.4, 1.0)))
    if rng.random() < 0.3:
        _erase(changed, rng)
    return changed


def _move(picture: Picture, rng: np.random.Generator) -> Picture:
    """Small shear, turn, scale and shift; traits of the hand (slant, size) move only within one's habit."""
    height, width = picture.shape
    angle, shear = rng.normal(0, np.radians(2.5)), rng.normal(0, 0.06)
    scale = np.exp(rng.normal(0, 0.09))
    stretch = np.exp(rng.normal(0, 0.04))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = scale * turn @ np.array([[stretch, shear], [0.0, 1.0 / stretch]])
    centre = np.array([width / 2, height / 2])
    shift = centre - matrix @ centre + np.array([rng.uniform(-10, 10), rng.uniform(-5, 5)])
    return cv2.warpAffine(picture, np.column_stack([matrix, shift]), (width, height), flags=cv2.INTER_LINEAR)


def _change_pen(picture: Picture, rng: np.random.Generator) -> Picture:
    """A thicker or thinner, stronger or fainter pen."""
    if rng.random() < 0.5:
        kernel = np.ones((2, 2) if rng.random() < 0.5 else (3, 3), np.uint8)
        other = (cv2.dilate if rng.random() < 0.5 else cv2.erode)(picture, kernel)
        share = float(rng.uniform(0.2, 0.9 if kernel.shape[0] == 2 else 0.6))
        picture = cv2.addWeighted(picture, 1 - share, other, share, 0)
    curve = np.exp(rng.normal(0, 0.3))
    strength = rng.uniform(0.75, 1.15)
    table = np.clip(255.0 * strength * (np.arange(256) / 255.0) ** curve, 0, 255).astype(np.uint8)
    return cv2.LUT(picture, table)


def _erase(picture: Picture, rng: np.random.Generator) -> None:
    """Blank a column-wide part: a hand shows in every part of a word."""
    width = int(rng.integers(8, 28))
    x = int(rng.integers(0, picture.shape[1] - width))
    picture[:, x : x + width] = 0
