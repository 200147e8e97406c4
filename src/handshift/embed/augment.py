"""Changes that leave the hand alone: another pen, another scan, another placing of the crop."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


KINDRED = ((0.0, 1.0), (0.3, 1.0), (-0.3, 1.0), (0.0, 1.28), (0.0, 0.78))
"""Shear and stretch that make a hand into another one that nobody has: more writers to learn from."""


def augmented(picture: Picture, width: int, rng: np.random.Generator, kin: int = 0) -> Picture:
    """One random variant, `width` columns of it, of a word picture by a hand or by one of its kindred."""
    changed = _move(picture, width, rng, *KINDRED[kin])
    changed = _change_pen(changed, rng)
    if rng.random() < 0.3:
        changed = cv2.GaussianBlur(changed, (0, 0), float(rng.uniform(0.4, 0.9)))
    return changed


def _move(picture: Picture, width: int, rng: np.random.Generator, shear: float, stretch: float) -> Picture:
    """Small shear, turn, scale and shift about the given ones: they move only within a hand's habit.

    A word wider than `width` is seen through a window: a hand shows in every part of a word.
    """
    angle = rng.normal(0, np.radians(2.0))
    shear += rng.normal(0, 0.05)
    stretch *= np.exp(rng.normal(0, 0.06))
    scale = np.exp(rng.normal(0, 0.07))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = scale * turn @ np.array([[stretch, shear], [0.0, 1.0]])
    columns = np.flatnonzero(picture.any(axis=0))
    first, last = (columns[0], columns[-1] + 1) if columns.size else (0, picture.shape[1])
    # Where in the word the window's middle lies; a word that fits is only shifted a little.
    spare = max((last - first) - 0.9 * width / (scale * stretch), 0.0)
    middle = (first + last + rng.uniform(-spare, spare)) / 2
    target = np.array([width / 2 + rng.uniform(-8, 8), picture.shape[0] / 2 + rng.uniform(-4, 4)])
    shift = target - matrix @ np.array([middle, picture.shape[0] / 2])
    return cv2.warpAffine(
        picture, np.column_stack([matrix, shift]), (width, picture.shape[0]), flags=cv2.INTER_LINEAR
    )


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
