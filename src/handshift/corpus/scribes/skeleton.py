"""The notation in which letter skeletons are written, and what it becomes.

A skeleton is a line of text: control points `x,y` in hundredths of the height of a small letter, baseline at
y = 0, y upwards. `!` after a point makes it a sharp turn, `/` lifts the pen. `approach > body ~ departure`
marks where a joining pen comes in and leaves: the approach is drawn only after a joined letter (or by hands
that begin words with an upstroke), the departure only before one (or by hands that end words with a tail).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


@dataclass(frozen=True)
class Stroke:
    """What the pen draws between touching down and lifting."""

    points: Points
    """Control points of a spline, n × 2, in heights of a small letter."""
    sharp: NDArray[np.bool_]
    """Where the spline may turn at once, n."""
    enters: int | None = None
    """First point of the body, if the letter before may join here."""
    leaves: int | None = None
    """First point of the departure, if the letter after may join here."""

    def moved(self, points: Points) -> Stroke:
        """Return the same stroke through other points."""
        return replace(self, points=points)

    def between(self, approach: bool, departure: bool) -> Stroke:
        """Return the stroke with the approach and departure that this occurrence draws."""
        first = 0 if approach or self.enters is None else self.enters
        last = len(self.points) if departure or self.leaves is None else self.leaves
        return Stroke(self.points[first:last], self.sharp[first:last])


Glyph = tuple[Stroke, ...]


@cache
def read_skeleton(notation: str) -> Glyph:
    """Read one letter shape from its notation."""
    return tuple(_read_stroke(part) for part in notation.split("/"))


def _read_stroke(notation: str) -> Stroke:
    points: list[list[str]] = []
    sharp: list[bool] = []
    enters = leaves = None
    for token in notation.split():
        if token == ">":
            enters = len(points)
        elif token == "~":
            leaves = len(points)
        else:
            points.append(token.rstrip("!").split(","))
            sharp.append(token.endswith("!"))
    return Stroke(np.array(points, dtype=np.float64) / 100, np.array(sharp), enters, leaves)
