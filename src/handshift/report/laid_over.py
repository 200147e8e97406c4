"""Two pictures of the same word or letter, aligned and printed over each other, as examiners do by hand."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats

HEIGHT, SLACK = 72, 0.25
"""Height of the ink in pixels; how far the second may be shifted, as a share of the wider one."""
ONE, TWO = np.array([0, 114, 178]), np.array([213, 94, 0])
"""Inks of the first and the second; colour-blind safe."""
_FAINTEST = 0.35
"""Ink below is paper when the outline is measured."""


def lay_over(one: NDArray[np.floating], two: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Bring two inks to one height, align them, and print one over the other.

    Args:
        one: (height, width) of the first, 0 paper to 1 ink.
        two: Likewise of the second.

    Returns:
        RGB pixels: the first in blue, the second in orange, both translucent.
    """
    first, second = _upright(one), _upright(two)
    width = max(first.shape[1], second.shape[1])
    room = max(1, round(SLACK * width))
    canvas = np.zeros((HEIGHT, width + 2 * room), np.float32)
    left = room + (width - first.shape[1]) // 2
    canvas[:, left : left + first.shape[1]] = first
    shift = int(cv2.matchTemplate(canvas, second, cv2.TM_CCORR)[0].argmax())
    other = np.zeros_like(canvas)
    other[:, shift : shift + second.shape[1]] = second
    return _printed((canvas, ONE), (other, TWO))


def beside(one: NDArray[np.floating], two: NDArray[np.floating]) -> NDArray[np.uint8]:
    """The first in blue, the second in orange, and both laid over each other, in one row."""
    gap = np.full((HEIGHT, HEIGHT // 6, 3), 255, np.uint8)
    alone = [_printed((_upright(ink), colour)) for ink, colour in ((one, ONE), (two, TWO))]
    return np.hstack([alone[0], gap, alone[1], gap, lay_over(one, two)])


def ink_of(picture: NDArray[np.uint8]) -> Floats:
    """(height, width), 0 paper to 1 ink, of RGB pixels."""
    grey = picture.astype(np.float64).mean(axis=2)
    paper, full = np.percentile(grey, 90), np.percentile(grey, 2)
    return np.asarray(np.clip((paper - grey) / max(paper - full, 1.0), 0.0, 1.0), np.float64)


def _printed(*inks: tuple[NDArray[np.float32], NDArray[np.int64]]) -> NDArray[np.uint8]:
    """Translucent inks of one size on white, each in its colour."""
    paper = np.ones((*inks[0][0].shape, 3))
    for ink, colour in inks:
        paper *= 1 - 0.75 * ink[:, :, None] * (1 - colour / 255)
    return np.asarray(np.rint(255 * paper), np.uint8)


def _upright(ink: NDArray[np.floating]) -> NDArray[np.float32]:
    """Cut to the ink and scale to one height."""
    rows, columns = (np.flatnonzero((ink > _FAINTEST).any(axis=axis)) for axis in (1, 0))
    if rows.size and columns.size:
        ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    width = max(1, round(ink.shape[1] * HEIGHT / ink.shape[0]))
    return np.asarray(cv2.resize(ink.astype(np.float32), (width, HEIGHT), interpolation=cv2.INTER_AREA))
