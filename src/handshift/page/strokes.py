"""Connected strokes, each given to the line it was written on."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Strokes:
    """Every ink pixel of a page, sorted by stroke."""

    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    above: NDArray[np.float32]
    """Height over the middle of the pixel's line, in pixels, positive upwards."""
    line: Labels
    starts: NDArray[np.int64]
    """Index of each stroke's first pixel; a stroke that ran through two lines has become two strokes."""


def strokes_by_line(mask: NDArray[np.uint8], cores: Labels, spacing: float) -> Strokes:
    """Give each connected stroke to one line; cut, at the border between cores, only those on several.

    Cutting every pixel at the border would behead long ascenders; giving every stroke away whole would
    glue touching lines together.
    """
    count, pieces, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=cv2.CV_32S)
    rows, columns = np.nonzero(mask)
    piece = pieces[rows, columns]
    lines = int(cores.max()) + 1
    nearest = _nearest_line(cores)[rows, columns]
    inside = _tally(piece, cores[rows, columns], (count, lines))
    inside[:, 0] = 0
    close = _tally(piece, nearest, (count, lines))
    total = inside.sum(axis=1)
    dominant = np.where(total > 0, inside.argmax(axis=1), close.argmax(axis=1))
    several = (total > 0) & (
        (inside.max(axis=1) < 0.88 * total) | (stats[:, cv2.CC_STAT_HEIGHT] > 1.9 * spacing)
    )
    line = np.where(several[piece], nearest, dominant[piece]).astype(np.int32)
    order = np.argsort(piece.astype(np.int64) * lines + line, kind="stable")
    rows, columns, piece, line = rows[order], columns[order], piece[order], line[order]
    first = np.flatnonzero((np.diff(piece, prepend=-1) != 0) | (np.diff(line, prepend=-1) != 0))
    above = (_middles(cores)[line, columns] - rows).astype(np.float32)
    return Strokes(rows, columns, above, line, first)


def x_height(strokes: Strokes, spacing: float) -> float:
    """Height of small letters: the width at half its peak of the ink's profile across all lines."""
    reach = int(spacing)
    offsets = np.clip(np.round(strokes.above), -reach, reach).astype(np.int64) + reach
    profile = np.bincount(offsets, minlength=2 * reach + 1)[1:-1].astype(np.float64)
    smooth = max(3, int(0.08 * spacing))
    profile = np.convolve(profile, np.ones(smooth) / smooth, "same")
    # The span, not the count: printed letters have two peaks, the tops and the feet of their bowls.
    body = np.flatnonzero(profile > 0.5 * profile.max())
    return float(body[-1] - body[0] + 1)


def _tally(piece: Labels, line: Labels, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Pixels of each piece in each line."""
    flat = np.bincount(piece.astype(np.int64) * shape[1] + line, minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def _middles(cores: Labels) -> NDArray[np.float32]:
    """Row of the middle of each line's core at each column, drawn on where the core has holes."""
    count, width = int(cores.max()) + 1, cores.shape[1]
    rows, columns = np.nonzero(cores)
    at = cores[rows, columns].astype(np.int64) * width + columns
    weight = np.bincount(at, minlength=count * width).reshape(count, width)
    total = np.bincount(at, weights=rows, minlength=count * width).reshape(count, width)
    middles = np.zeros((count, width), np.float32)
    every = np.arange(width)
    for line in range(1, count):
        known = weight[line] > 0
        middles[line] = np.interp(every, every[known], total[line][known] / weight[line][known])
    return middles


def _nearest_line(cores: Labels) -> Labels:
    """The line whose core is nearest to each pixel."""
    outside = (cores == 0).astype(np.uint8)
    _, nearest = cv2.distanceTransformWithLabels(outside, cv2.DIST_L2, 3, labelType=cv2.DIST_LABEL_PIXEL)
    inside = cores > 0
    line_of = np.zeros(int(nearest.max()) + 1, np.int32)
    line_of[nearest[inside]] = cores[inside]
    return line_of[nearest]
