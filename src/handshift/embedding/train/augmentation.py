"""Augmentation of word pictures: geometry, stroke width, ink, background, blur and random erasing.

All pictures are (height, width), 0 paper, 255 ink; every function takes its randomness from a generator.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.embedding.train.pseudo_writers import PSEUDO_WRITERS

Picture = NDArray[np.uint8]
DEGREES, TRANSLATE, SCALE, SHEAR = 7.0, 0.05, 0.05, 10.0
"""The source's RandomAffine: ±7°, ±5 %, 0.95–1.05, ±10°."""


def random_affine(picture: Picture, rng: np.random.Generator, strength: float = 1.0) -> Picture:
    """Apply x' = C + t + s·R(α)·S(φ)·(x − C), all four uniform within their bounds × `strength`.

    C is the centre; S shears x by tan φ of y, as torchvision does with one shear bound.

    Args:
        picture: (height, width).
        rng: Source of randomness.
        strength: Factor of all bounds.

    Returns:
        (height, width).
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


def random_window(
    picture: Picture,
    width: int,
    rng: np.random.Generator,
    strength: float = 1.0,
    shear: float = 0.0,
    stretch: float = 1.0,
) -> Picture:
    """Cut a window of `width` columns, with small random rotation, shear, scale and shift.

    A word wider than `width` is cropped at a random position; a word that fits is only shifted.

    Args:
        picture: (height, any width).
        width: Columns of the window.
        rng: Source of randomness.
        strength: Factor of all standard deviations.
        shear: Mean shear, for pseudo-writers.
        stretch: Mean horizontal stretch, for pseudo-writers.

    Returns:
        (height, width).
    """
    angle = rng.normal(0, strength * np.radians(2.0))
    shear += rng.normal(0, strength * 0.05)
    stretch *= np.exp(rng.normal(0, strength * 0.06))
    scale = np.exp(rng.normal(0, strength * 0.07))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = scale * turn @ np.array([[stretch, shear], [0.0, 1.0]])
    columns = np.flatnonzero(picture.any(axis=0))
    first, last = (columns[0], columns[-1] + 1) if columns.size else (0, picture.shape[1])
    # Position of the window's centre within the word; 0 for a word that fits.
    spare = max((last - first) - 0.9 * width / (scale * stretch), 0.0)
    middle = (first + last + rng.uniform(-spare, spare)) / 2
    x, y = 8 * strength, 4 * strength
    target = np.array([width / 2 + rng.uniform(-x, x), picture.shape[0] / 2 + rng.uniform(-y, y)])
    shift = target - matrix @ np.array([middle, picture.shape[0] / 2])
    return cv2.warpAffine(
        picture, np.column_stack([matrix, shift]), (width, picture.shape[0]), flags=cv2.INTER_LINEAR
    )


SMOOTHNESS = 8.0
"""Correlation length in pixels, about half a letter, so that letters bend and do not tear."""


def elastic(picture: Picture, rng: np.random.Generator, pixels: float) -> Picture:
    """Apply x' = x + d(x), d being Gaussian-smoothed white noise with standard deviation `pixels`."""
    height, width = picture.shape
    noise = rng.standard_normal((2, height, width)).astype(np.float32)
    field = np.stack([cv2.GaussianBlur(plane, (0, 0), SMOOTHNESS) for plane in noise])  # (2, h, w)
    field *= np.float32(pixels) / field.std()
    y, x = np.mgrid[:height, :width].astype(np.float32)
    return cv2.remap(picture, x + field[0], y + field[1], cv2.INTER_LINEAR)


def change_stroke_width(picture: Picture, rng: np.random.Generator, depth: float = 1.0) -> Picture:
    """Dilate or erode strokes by a pixel or two, blended in by a random share × `depth`."""
    kernel = np.ones((2, 2) if rng.random() < 0.5 else (3, 3), np.uint8)
    other = (cv2.dilate if rng.random() < 0.5 else cv2.erode)(picture, kernel)
    share = depth * float(rng.uniform(0.2, 0.9 if kernel.shape[0] == 2 else 0.6))
    return cv2.addWeighted(picture, 1 - share, other, share, 0)


def change_ink(picture: Picture, rng: np.random.Generator, strength: float = 1.0) -> Picture:
    """Apply v' = a·v^γ, ln γ ~ N(0, 0.3²) and a in 0.75…1.15, both spreads × `strength`."""
    curve = np.exp(rng.normal(0, 0.3 * strength))
    full = rng.uniform(1 - 0.25 * strength, 1 + 0.15 * strength)
    table = np.clip(255.0 * full * (np.arange(256) / 255.0) ** curve, 0, 255).astype(np.uint8)
    return cv2.LUT(picture, table)


def add_background(picture: Picture, rng: np.random.Generator, strength: float) -> Picture:
    """Apply v' = max(v, s·(cloud + grain)): paper texture of a scan; strength 1 is a third of full ink."""
    height, width = picture.shape
    coarse = rng.random((max(2, height // 16), max(2, width // 16))).astype(np.float32)
    cloud = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    grain = rng.random((height, width), np.float32)
    level = 85.0 * strength * rng.random()
    paper = np.clip(level * (0.7 * cloud + 0.3 * grain), 0, 255).astype(np.uint8)
    return np.maximum(picture, paper)


def blur(picture: Picture, rng: np.random.Generator) -> Picture:
    """Blur with σ in 0.4…0.9 pixels, as a scanner out of focus does."""
    return cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.4, 0.9)))


def erase_rectangle(picture: Picture, rng: np.random.Generator) -> Picture:
    """Set a rectangle of 2–20 % of the picture to paper (random erasing), so that no letter decides alone."""
    height, width = picture.shape
    area, aspect = rng.uniform(0.02, 0.2) * height * width, np.exp(rng.uniform(-1.2, 1.2))
    high = int(np.clip(np.sqrt(area * aspect), 1, height))
    wide = int(np.clip(np.sqrt(area / aspect), 1, width))
    top, left = rng.integers(height - high + 1), rng.integers(width - wide + 1)
    changed = picture.copy()
    changed[top : top + high, left : left + wide] = 0
    return changed


@dataclass(frozen=True)
class Augmentation:
    """Strengths (1 is usual, 0 is off) and probabilities of each change, in the order they are applied."""

    width: int = 96
    """Columns of the training picture."""
    placing: float = 1.0
    """Strength of rotation, shear, scale and shift; at 0 a long word is still cropped at random."""
    affine: float = 0.0
    """Strength of the source's RandomAffine."""
    elastic: float = 0.0
    """Displacement in pixels."""
    stroke: float = 0.5
    """Probability of a wider or narrower stroke."""
    stroke_depth: float = 1.0
    """How far the stroke width is changed."""
    ink: float = 1.0
    """Strength of stronger or fainter ink."""
    background: float = 0.0
    """Strength of clouds and grain of the paper."""
    blur: float = 0.3
    """Probability of a scanner out of focus."""
    erasing: float = 0.0
    """Probability that a rectangle is erased."""

    def __call__(self, picture: Picture, rng: np.random.Generator, pseudo_writer: int = 0) -> Picture:
        """Draw one random variant of a word.

        Args:
            picture: (height, any width).
            rng: Source of randomness.
            pseudo_writer: Number in `PSEUDO_WRITERS`; 0 keeps the writer.

        Returns:
            (height, `self.width`).
        """
        changed = random_window(picture, self.width, rng, self.placing, *PSEUDO_WRITERS[pseudo_writer])
        if self.affine:
            changed = random_affine(changed, rng, self.affine)
        if self.elastic:
            changed = elastic(changed, rng, self.elastic)
        if rng.random() < self.stroke:
            changed = change_stroke_width(changed, rng, self.stroke_depth)
        if self.ink:
            changed = change_ink(changed, rng, self.ink)
        if self.background:
            changed = add_background(changed, rng, self.background)
        if rng.random() < self.blur:
            changed = blur(changed, rng)
        if self.erasing and rng.random() < self.erasing:
            changed = erase_rectangle(changed, rng)
        return changed
