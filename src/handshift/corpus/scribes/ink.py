"""From pen paths to ink: anti-aliased lines of changing width and darkness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.corpus.scribes.pen import Pen, pressed
from handshift.corpus.scribes.skeleton import Points
from handshift.page.word import Box

_FINE = 4
"""Lines are drawn this many times larger and averaged down."""
_SHIFT = 3
"""Binary digits of the fraction in OpenCV's fixed-point coordinates."""
VISIBLE = 40
"""Opacity out of 255 from which a pixel counts as ink, about what a binarised scan keeps."""


@dataclass(frozen=True)
class Ink:
    """Opacity of some ink, 0 to 255, and the tight box it fills on the page."""

    box: Box
    opacity: NDArray[np.uint8]


def draw_ink(strokes: Sequence[Points], pen: Pen, dpi: float, draw: np.random.Generator) -> Ink:
    """Draw strokes given in millimetres from the page's upper left corner, y downwards."""
    scale = dpi / 25.4
    margin = pen.width_mm * scale + 4
    every = np.concatenate(strokes) * scale
    left, top = np.floor(every.min(axis=0) - margin).astype(int)
    right, bottom = np.ceil(every.max(axis=0) + margin).astype(int)
    fine = np.zeros(((bottom - top) * _FINE, (right - left) * _FINE), np.uint8)
    for stroke in strokes:
        width, opacity = pressed(stroke * (1, -1), pen, draw)
        path = (stroke * scale - (left, top)) * _FINE - 0.5
        _draw_stroke(fine, path, width * scale * _FINE, opacity)
    sharp = cv2.resize(fine, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
    # A 150 dpi scanner sees each pixel through its neighbours.
    soft = cv2.GaussianBlur(sharp, (0, 0), 0.55 * max(1.0, dpi / 150))
    return _trimmed(np.asarray(soft, np.uint8), int(left), int(top))


def _draw_stroke(
    fine: NDArray[np.uint8], path: Points, width: NDArray[np.float64], opacity: NDArray[np.float64]
) -> None:
    fixed = np.round(path * (1 << _SHIFT)).astype(int)
    thickness = np.maximum(1, np.round(width)).astype(int).tolist()
    shade = np.round(opacity * 255).astype(int).tolist()
    corners = [(x, y) for x, y in fixed.tolist()]
    for at in range(len(corners) - 1):
        cv2.line(fine, corners[at], corners[at + 1], shade[at], thickness[at], cv2.LINE_8, _SHIFT)


def _trimmed(opacity: NDArray[np.uint8], left: int, top: int) -> Ink:
    rows = np.flatnonzero(opacity.max(axis=1) >= VISIBLE)
    columns = np.flatnonzero(opacity.max(axis=0) >= VISIBLE)
    if not len(rows):  # a pen too pale to see: keep the whole patch rather than an empty box
        rows, columns = np.arange(opacity.shape[0]), np.arange(opacity.shape[1])
    y, x = int(rows[0]), int(columns[0])
    height, width = int(rows[-1]) - y + 1, int(columns[-1]) - x + 1
    return Ink(Box(left + x, top + y, width, height), opacity[y : y + height, x : x + width])
