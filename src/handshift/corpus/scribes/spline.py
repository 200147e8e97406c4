"""From control points to the path of a pen that has mass: smooth between turns, rounded where it is fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from handshift.corpus.scribes.skeleton import Points, Stroke

STEP = 0.04
"""Distance between two points of a path, in heights of a small letter."""

_SAMPLES = 14


def pen_path(stroke: Stroke, rounding: float) -> Points:
    """Return the path through the stroke's points, evenly spaced, n × 2.

    Centripetal Catmull-Rom, one-sided at sharp turns; then a Gaussian along the path, as a moving hand
    can't turn on the spot.
    """
    points, sharp = _without_repeats(stroke.points, stroke.sharp)
    if len(points) < 2:  # a full stop: the pen only touches the paper
        return np.concatenate([points, points + np.array((0.01, -0.02))])
    path = _evenly_spaced(_catmull_rom(points, sharp))
    if len(path) < 8:
        return path
    # Gentler on short strokes, which would shrink to a point.
    sigma = min(rounding / STEP, len(path) / 12)
    smooth = gaussian_filter1d(path, sigma, axis=0, mode="nearest")
    smooth[0], smooth[-1] = path[0], path[-1]
    return np.asarray(smooth, dtype=np.float64)


def _catmull_rom(points: Points, sharp: NDArray[np.bool_]) -> Points:
    span = np.sqrt(np.linalg.norm(np.diff(points, axis=0), axis=1))[:, None]  # (n - 1, 1)
    slope = np.diff(points, axis=0) / span
    tangent = np.empty_like(points)
    tangent[1:-1] = (slope[:-1] * span[1:] + slope[1:] * span[:-1]) / (span[1:] + span[:-1])
    tangent[0] = 1.5 * slope[0] - 0.5 * tangent[1] if len(points) > 2 else slope[0]
    tangent[-1] = 1.5 * slope[-1] - 0.5 * tangent[-2] if len(points) > 2 else slope[-1]
    leaving, arriving = tangent[:-1].copy(), tangent[1:].copy()
    leaving[sharp[:-1]] = slope[sharp[:-1]]
    arriving[sharp[1:]] = slope[sharp[1:]]
    t = (np.arange(_SAMPLES) / _SAMPLES)[:, None, None]
    pieces = (
        (2 * t**3 - 3 * t**2 + 1) * points[:-1]
        + (t**3 - 2 * t**2 + t) * span * leaving
        + (3 * t**2 - 2 * t**3) * points[1:]
        + (t**3 - t**2) * span * arriving
    )  # (samples, n - 1, 2)
    return np.concatenate([pieces.transpose(1, 0, 2).reshape(-1, 2), points[-1:]])


def _evenly_spaced(path: Points) -> Points:
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = np.linspace(0, length[-1], max(2, round(length[-1] / STEP) + 1))
    return np.stack([np.interp(at, length, path[:, axis]) for axis in (0, 1)], axis=1)


def _without_repeats(points: Points, sharp: NDArray[np.bool_]) -> tuple[Points, NDArray[np.bool_]]:
    # Two equal points in a row would divide by zero; 1 % of a letter is invisible.
    keep = np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=1) > 0.01])
    return points[keep], sharp[keep]
