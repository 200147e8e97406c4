"""Finds marks of bare strokes: pieces of a line drawn round a text, of a flourish, a fold or a thread."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.components import STROKE, stroke_width
from handshift.page.ink import Ink

_LONG = 3.0
"""Least length of such a mark, in letter sizes: a bracket, a 1 or a dash is shorter."""
_STRAIGHT = 0.95
"""Length of the strokes over half the way round their box; one that never turns back has less than 1."""
_CROSSED = 2.1
"""Strokes on a row or column of a loop at most, in the mean: a word has more along its rows."""
_LOOP = 4.0
"""Least length of a loop, in letter sizes."""
_WINDOW, _ALONE = 1.8, 1.55
"""Side of the window in which ink is counted, in letter sizes, and ink in it up to which a stroke is alone
there, relative to a straight one from side to side."""
_SHARE = 0.95, 0.9
"""Least share of the ink that is alone, of a stroke that never turns back and of a loop."""


def is_bare_stroke(ink: Ink, size: float) -> bool:
    """Whether a mark is a long stroke or two, with no letters in it.

    Args:
        ink: The mark's ink.
        size: Height of small letters.
    """
    if max(ink.shape) < _LONG * size:
        return False
    mask = np.pad((ink > STROKE).astype(np.uint8), 1)
    width = max(1.0, stroke_width(mask))
    length = int(mask.sum()) / width
    if not length:
        return False
    side = max(5, round(_WINDOW * size)) | 1
    count = cv2.boxFilter(mask, cv2.CV_32F, (side, side), normalize=False, borderType=cv2.BORDER_CONSTANT)
    alone = float((count[mask > 0] < _ALONE * side * width).mean())
    if length < _STRAIGHT * sum(ink.shape):
        return alone > _SHARE[0]
    crossed = max(_strokes_across(mask), _strokes_across(mask.T))
    return alone > _SHARE[1] and max(ink.shape) > _LOOP * size and crossed <= _CROSSED


def _strokes_across(mask: NDArray[np.uint8]) -> float:
    """Mean number of strokes on the rows that have any."""
    starts = (mask[:, 1:] > mask[:, :-1]).sum(axis=1)
    return float(starts[starts > 0].mean())
