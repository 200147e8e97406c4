"""Measures of a page's strokes by which scripts differ, taken from its pixels and not from a network."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Word
from handshift.page.word_kind import WordKind

Floats = NDArray[np.float64]
_INK = 95
_DIRECTIONS = 8
_DOT = 0.45
"""Sides of a dot, in letter sizes, at most."""
_MEASURED = (WordKind.WRITING, WordKind.STRUCK_OUT, WordKind.PRINT)
"""Kinds that are measured: long connected strokes of other scripts pass for strike-outs here and there."""
NAMES = (
    *(f"strokes at {round(180 * at / _DIRECTIONS)}°" for at in range(_DIRECTIONS)),
    "ink in the fullest fifth of a word's height",
    "place of that fifth",
    "place of the mean ink",
    "dots",
    "dots below",
    "pieces",
    "height of pieces",
    "width of pieces",
    "enclosed bits",
    "strokes across a row",
    "strokes down a column",
    "run along rows over run along columns",
    "letter size over stroke width",
    "width of words",
    "height of words",
)
"""What `stroke_geometry` measures, in its order."""


def stroke_geometry(words: Sequence[Word], size: float) -> Floats | None:
    """Describe how the strokes of a page run.

    Arabic has a heavy base line with dots above and below it, Hangul separate blocks of straight strokes; the
    network's vectors, which were trained on all three scripts, hardly show which one a page has.

    Args:
        words: Words of a page; print and strike-outs are measured as well.
        size: Height of small letters, in pixels of the words' ink.

    Returns:
        (measures,) as listed in `NAMES`; None where no word is large enough to be measured.
    """
    masks = [(word.ink > _INK).astype(np.uint8) for word in words if word.kind in _MEASURED]
    masks = [mask for mask in masks if min(mask.shape) >= 0.5 * size and mask.any()]
    if not masks or size <= 0:
        return None
    width = sum(mask.shape[1] for mask in masks) / size
    directions = np.sum([_directions(mask) for mask in masks], axis=0)
    pieces = [_pieces(mask, size) for mask in masks]
    heights = np.concatenate([one[0] for one in pieces])
    widths = np.concatenate([one[1] for one in pieces])
    dots, below, bits = (sum(one[at] for one in pieces) for at in (2, 3, 4))
    runs = np.array([_runs(mask) for mask in masks])  # (words, 3)
    across, down, ink = runs.sum(axis=0)
    return np.array(
        [
            *directions / max(float(directions.sum()), 1e-9),
            *np.mean([_profile(mask) for mask in masks], axis=0),
            dots / width,
            below / max(1, dots),
            heights.size / width,
            float(np.median(heights)) if heights.size else 0.0,
            float(np.median(widths)) if widths.size else 0.0,
            bits / width,
            across / (width * size),
            down / (width * size),
            np.log(down / max(1.0, across)),
            np.log(size * across / max(1.0, ink)),
            np.log(float(np.median([mask.shape[1] for mask in masks])) / size),
            np.log(float(np.median([mask.shape[0] for mask in masks])) / size),
        ]
    )


def _directions(mask: NDArray[np.uint8]) -> Floats:
    """Length of outline in each direction, from level over rising to upright and falling."""
    soft = cv2.GaussianBlur(
        cv2.copyMakeBorder(mask, 2, 2, 2, 2, cv2.BORDER_CONSTANT) * np.float32(1), (0, 0), 1.0
    )
    right, down = cv2.Sobel(soft, cv2.CV_32F, 1, 0), cv2.Sobel(soft, cv2.CV_32F, 0, 1)
    outline = (right != 0) | (down != 0)
    right, down = right[outline], down[outline]
    # Strokes run at right angles to the gradient; rows grow downwards.
    turn = (np.arctan2(right, down) % np.pi) / np.pi * _DIRECTIONS
    place = np.rint(turn).astype(np.int64) % _DIRECTIONS
    return np.asarray(np.bincount(place, np.hypot(right, down), _DIRECTIONS), np.float64)


def _profile(mask: NDArray[np.uint8]) -> tuple[float, float, float]:
    """Share of ink in the fullest fifth of the height, its place, and the mean; from the top, 0 to 1."""
    rows = mask.sum(axis=1).astype(np.float64)
    rows /= rows.sum()
    reach = max(1, round(len(rows) / 5))
    fifth = np.convolve(rows, np.ones(reach), "valid")
    at = int(fifth.argmax())
    place = (np.arange(len(rows)) + 0.5) / len(rows)
    return float(fifth[at]), (at + reach / 2) / len(rows), float(rows @ place)


def _pieces(mask: NDArray[np.uint8], size: float) -> tuple[Floats, Floats, int, int, int]:
    """Heights and widths of a word's pieces in letter sizes; dots, those in the lower half, enclosed bits."""
    _, _, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    sides = stats[1:, cv2.CC_STAT_WIDTH : cv2.CC_STAT_HEIGHT + 1] / size
    dot = sides.max(axis=1) < _DOT
    low = middles[1:, 1] > 0.5 * mask.shape[0]
    paper = cv2.copyMakeBorder(1 - mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    _, _, bits, _ = cv2.connectedComponentsWithStats(paper, connectivity=4)
    enclosed = int((bits[1:, cv2.CC_STAT_AREA] >= 3).sum()) - 1
    return sides[~dot, 1], sides[~dot, 0], int(dot.sum()), int((dot & low).sum()), max(0, enclosed)


def _runs(mask: NDArray[np.uint8]) -> tuple[float, float, float]:
    """Strokes met along all rows, along all columns, and pixels of ink."""
    framed = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    across = cv2.countNonZero(cv2.subtract(framed[:, 1:], framed[:, :-1]))
    down = cv2.countNonZero(cv2.subtract(framed[1:], framed[:-1]))
    return float(across), float(down), float(cv2.countNonZero(mask))
