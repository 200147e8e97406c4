"""Pen paths of a written word: letters placed, joined, slanted, smoothed and set on a baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from handshift.corpus.scribes.distortion import distorted
from handshift.corpus.scribes.hangul import is_hangul
from handshift.corpus.scribes.letters import habitual_letter
from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.seeds import chance
from handshift.corpus.scribes.skeleton import Glyph, Points, Stroke

STEP = 0.04
"""Distance between two points of a path, in heights of a small letter."""

_SAMPLES = 14


def pen_path(stroke: Stroke, rounding: float) -> Points:
    """Evenly spaced path through a stroke's control points.

    Centripetal Catmull–Rom spline, one-sided at sharp turns; then a Gaussian along the path, because a moving
    hand can't turn on the spot.

    Args:
        stroke: Control points and sharp turns.
        rounding: Standard deviation of the smoothing, in letter heights.

    Returns:
        (n, 2) points.
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


def joins(scribe: Scribe, pair: str, left: Glyph, right: Glyph, draw: np.random.Generator) -> bool:
    """Whether the scribe joins these two letters here; mostly a fixed habit for the pair."""
    if right[0].enters is None or all(stroke.leaves is None for stroke in left):
        return False
    habit = chance("join", scribe.number, pair).random()
    return bool(habit + 0.06 * draw.standard_normal() < scribe.traits.joining)


def departure_from(stroke: Stroke) -> Stroke:
    """The stroke with its last point smooth, because the pen continues from there."""
    sharp = stroke.sharp.copy()
    sharp[-1] = False
    return Stroke(stroke.points, sharp)


def approach_to(before: Stroke, stroke: Stroke) -> Stroke:
    """The letter's first stroke, continued from the unfinished stroke of the letter before."""
    points, sharp = stroke.points, stroke.sharp
    end = before.points[-1]
    if end[1] > 0.6:
        # From a letter that ends high (o, v, w) the pen goes straight on, without a dip to the baseline.
        low = 0
        while low < len(points) - 2 and points[low, 1] < 0.45 and points[low + 1, 1] > points[low, 1]:
            low += 1
        points, sharp = points[low:], sharp[low:]
    # The departure was drawn for a distant neighbour: a near one cuts it short, so the pen never backs up.
    keep = len(before.points)
    next_x, next_y = points[0]
    while (
        keep > 2 and before.points[keep - 1, 0] > next_x - 0.06 and before.points[keep - 1, 1] < next_y + 0.3
    ):
        keep -= 1
    return Stroke(
        np.concatenate([before.points[:keep], points]), np.concatenate([before.sharp[:keep], sharp])
    )


_SMALL_MARKS = (".", ",", ";", ":")


@dataclass(frozen=True)
class Trace:
    """A word as pen paths, in millimetres from the left end of its baseline, y upwards."""

    strokes: tuple[Points, ...]
    advance: float
    """Width that the word takes on its line."""


def trace_word(scribe: Scribe, text: str, draw: np.random.Generator) -> Trace:
    """Write one word.

    Args:
        scribe: The hand.
        text: The word.
        draw: Source of the variation between occurrences.

    Returns:
        Its pen paths and its width.
    """
    traits = scribe.traits
    letters = [_occurrence(scribe, character, draw) for character in text]
    strokes, width = _joined(scribe, text, letters, draw)
    lean = np.tan(np.deg2rad(traits.slant_deg + 1.3 * traits.unsteadiness * draw.standard_normal()))
    size = traits.x_height_mm * np.exp(0.025 * traits.unsteadiness * draw.standard_normal())
    climb = 0.012 * draw.standard_normal()
    paths = []
    for stroke in strokes:
        path = pen_path(stroke, traits.rounding)
        path = path + traits.tremor * draw.standard_normal(path.shape)
        x, y = path[:, 0], path[:, 1]
        paths.append(np.stack([x + lean * y, y + climb * x], axis=1) * size)
    return Trace(tuple(paths), width * float(size))


def _occurrence(scribe: Scribe, character: str, draw: np.random.Generator) -> Glyph:
    """One occurrence of a letter: the habit with small variations."""
    traits = scribe.traits
    second = bool(draw.random() < traits.second_shape)
    glyph = distorted(habitual_letter(scribe.number, character, second), 0.03 * traits.unsteadiness, draw)
    scale = np.exp(0.04 * traits.unsteadiness * draw.standard_normal(2))
    return tuple(stroke.moved(stroke.points * scale) for stroke in glyph)


def _joined(
    scribe: Scribe, text: str, letters: list[Glyph], draw: np.random.Generator
) -> tuple[list[Stroke], float]:
    traits = scribe.traits
    done: list[Stroke] = []
    open_stroke: Stroke | None = None  # waits for the letter that joins it
    cursor, height = 0.0, 0.0
    for place, glyph in enumerate(letters):
        last = place == len(letters) - 1
        joined_on = not last and joins(scribe, text[place : place + 2], glyph, letters[place + 1], draw)
        left, right = _extent(glyph, 0.0 if is_hangul(text[place]) else 0.28)
        height = 0.6 * height + traits.wander * float(draw.standard_normal())
        shift = (cursor - left, height)
        before, open_stroke = open_stroke, None
        for number, part in enumerate(glyph):
            stroke = part.moved(part.points + shift)
            enters = number == 0 and before is not None
            lead_in = number == 0 and place == 0 and traits.lead_in and part.enters is not None
            leaves = joined_on and part.leaves is not None
            tail = last and traits.tail
            stroke_drawn = stroke.between(enters or lead_in, leaves or tail)
            if enters and before is not None:
                stroke_drawn = approach_to(before, stroke_drawn)
            if leaves:
                open_stroke = stroke_drawn
            else:
                done.append(stroke_drawn)
        if open_stroke is not None:
            open_stroke = departure_from(open_stroke)
        gap = traits.letter_gap * float(np.exp(0.15 * traits.unsteadiness * draw.standard_normal()))
        if joined_on:
            gap = max(gap, 0.24) + 0.06  # room for the connecting stroke
        elif text[place + 1 : place + 2] in _SMALL_MARKS:
            gap = max(gap, 0.3) + 0.1  # else the mark would merge with the letter's foot
        cursor += right - left + gap
    return done, cursor


def _extent(glyph: Glyph, over: float) -> tuple[float, float]:
    """Left and right end of what occupies the line; ascenders may reach ``over`` a neighbour."""
    bodies = [stroke.between(False, False).points for stroke in glyph]
    points = np.concatenate(bodies)
    low = points[points[:, 1] < 1.08]
    if not len(low):
        return float(points[:, 0].min()), float(points[:, 0].max())
    left = min(low[:, 0].min(), points[:, 0].min() + over)
    right = max(low[:, 0].max(), points[:, 0].max() - over)
    return float(left), float(right)
