"""One written word as pen paths: letters placed, joined, slanted and set on a wandering baseline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.corpus.scribes.bend import bent
from handshift.corpus.scribes.hangul import is_hangul
from handshift.corpus.scribes.joins import approach_to, departure_from, joins
from handshift.corpus.scribes.letters import habitual_letter
from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.skeleton import Glyph, Points, Stroke
from handshift.corpus.scribes.spline import pen_path

_SMALL_MARKS = (".", ",", ";", ":")


@dataclass(frozen=True)
class Trace:
    """A word as the pen moved, in millimetres from the left end of its baseline, y upwards."""

    strokes: tuple[Points, ...]
    advance: float
    """Width that the word takes on its line."""


def trace_word(scribe: Scribe, text: str, draw: np.random.Generator) -> Trace:
    """Write one word; every call with a fresh state of `draw` writes it a little differently."""
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
    """Draw the scribe's letter once more: nearly the habit."""
    traits = scribe.traits
    second = bool(draw.random() < traits.second_shape)
    glyph = bent(habitual_letter(scribe.number, character, second), 0.03 * traits.unsteadiness, draw)
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
            gap = max(gap, 0.3) + 0.1  # or the mark would drown in the letter's foot
        cursor += right - left + gap
    return done, cursor


def _extent(glyph: Glyph, over: float) -> tuple[float, float]:
    """Return left and right end of what fills the line; long strokes may reach `over` a neighbour."""
    bodies = [stroke.between(False, False).points for stroke in glyph]
    points = np.concatenate(bodies)
    low = points[points[:, 1] < 1.08]
    if not len(low):
        return float(points[:, 0].min()), float(points[:, 0].max())
    left = min(low[:, 0].min(), points[:, 0].min() + over)
    right = max(low[:, 0].max(), points[:, 0].max() - over)
    return float(left), float(right)
