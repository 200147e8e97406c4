"""Recorded pen strokes become scanned pages, with any pen on any paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

from handshift.core.errors import CorpusError
from handshift.core.loaders import LoadError, read_npz
from handshift.corpus.rendering.pens import random_pen
from handshift.corpus.rendering.sheet import DPI, MARGIN_MM, Sheet
from handshift.corpus.scribes.page import draw_ink
from handshift.corpus.scribes.pen import Pen

Points = NDArray[np.float64]
"""(n, 2) x to the right, y downwards."""

_STROKE_HEIGHT_MM = 3.4
"""Median height of strokes on paper, of an average hand; from small letters of 2.7 mm."""
_SIZE_SPREAD = 0.15
"""Standard deviation of the logarithm of size. Size is not kept by the crops; resolution effects are."""
_STEP_MM = 0.12
"""Distance of points along the smoothed path, less than a pixel at 150 dpi."""


def read_strokes(path: Path, index: int) -> list[Points]:
    """Read the strokes of one text.

    Args:
        path: An npz with `dxy` (points, 2), whose cumulative sum gives positions, `stroke_len`, the points
            of each stroke, and `form_strokes`, the strokes of each text.
        index: Number of the text.

    Returns:
        The strokes in the order of writing, in the recording's units.

    Raises:
        CorpusError: The file is not of that form, or has no such text.
    """
    try:
        content = read_npz(path)
        points = np.cumsum(content["dxy"].astype(np.int64), axis=0).astype(np.float64)
        ends = np.cumsum(content["stroke_len"].astype(np.int64))
        bounds = np.concatenate([[0], np.cumsum(content["form_strokes"].astype(np.int64))])
    except (LoadError, ValueError, KeyError) as error:
        raise CorpusError(f"{path}: not a file of strokes (dxy, stroke_len, form_strokes)") from error
    if not 0 <= index < len(bounds) - 1:
        raise CorpusError(f"{path}: holds {len(bounds) - 1} texts, and number {index} was asked for")
    return np.split(points, ends[:-1])[bounds[index] : bounds[index + 1]]


def draw_strokes(
    strokes: list[Points], draw: np.random.Generator, pen: Pen | None = None
) -> NDArray[np.uint8]:
    """Write recorded strokes on a sheet, each a little differently from how it was recorded.

    Args:
        strokes: The strokes in any units.
        draw: Source of chance: size, pen, paper, jitter.
        pen: The pen; a random one where it is not given.

    Returns:
        (height, width, 3) RGB at 150 dpi.
    """
    pen = pen or random_pen(draw)
    height = float(np.median([np.ptp(stroke[:, 1]) for stroke in strokes])) or 1.0
    unit = _STROKE_HEIGHT_MM / height * float(np.exp(_SIZE_SPREAD * draw.standard_normal()))
    origin = np.concatenate(strokes).min(axis=0) * unit
    paths = [jittered(smooth(stroke * unit - origin + MARGIN_MM), draw) for stroke in strokes]
    extent = (np.concatenate(paths).max(axis=0) + MARGIN_MM) * DPI / 25.4
    sheet = Sheet(int(extent[1]), int(extent[0]), draw)
    for path in paths:
        sheet.take(draw_ink([path], pen, DPI, draw), pen)
    return sheet.scan()


def smooth(stroke: Points) -> Points:
    """Cubic spline through the points of a stroke in millimetres; a dot becomes a very short line."""
    moved = np.concatenate([[True], np.any(np.diff(stroke, axis=0) != 0, axis=1)])
    stroke = stroke[moved]
    if len(stroke) == 1:
        return np.concatenate([stroke, stroke + 0.05])
    # Centripetal knots do not overshoot at sharp turns.
    knots = np.concatenate([[0.0], np.cumsum(np.sqrt(np.linalg.norm(np.diff(stroke, axis=0), axis=1)))])
    length = float(np.linalg.norm(np.diff(stroke, axis=0), axis=1).sum())
    at = np.linspace(0.0, knots[-1], max(2, int(length / _STEP_MM)))
    return np.asarray(CubicSpline(knots, stroke)(at) if len(stroke) > 2 else _straight(stroke, len(at)))


def jittered(stroke: Points, draw: np.random.Generator) -> Points:
    """Turn, scale and shift a stroke a little about its middle, and bend it slowly along its way.

    x' = m + A·(x − m) + t + b(s), A a turn of σ 1.2° and scales of σ 2.5 %, t of σ 0.08 mm, b(s) a slow
    noise of σ 0.06 mm: the variation between two drawings of one letter, so that a text drawn twice does
    not repeat itself.
    """
    middle = stroke.mean(axis=0)
    turn = np.radians(1.2) * draw.standard_normal()
    scale = np.exp(0.025 * draw.standard_normal(2))
    matrix = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) * scale
    knots = 0.06 * draw.standard_normal((len(stroke) // 15 + 3, 2))
    at, where = np.linspace(0, len(knots) - 1, len(stroke)), np.arange(len(knots))
    bend = np.stack([np.interp(at, where, knots[:, axis]) for axis in (0, 1)], axis=1)
    return np.asarray(middle + (stroke - middle) @ matrix.T + 0.08 * draw.standard_normal(2) + bend)


def _straight(stroke: Points, count: int) -> Points:
    share = np.linspace(0, 1, count)[:, None]
    return np.asarray(stroke[0] + share * (stroke[-1] - stroke[0]))
