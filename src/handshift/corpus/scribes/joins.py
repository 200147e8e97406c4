"""Where a joining hand connects two letters, and the connecting stroke."""

from __future__ import annotations

import numpy as np

from handshift.corpus.scribes.scribe import Scribe
from handshift.corpus.scribes.seeds import chance
from handshift.corpus.scribes.skeleton import Glyph, Stroke


def joins(scribe: Scribe, pair: str, left: Glyph, right: Glyph, draw: np.random.Generator) -> bool:
    """Say whether the scribe joins these two letters here; a habit of the pair, seldom broken."""
    if right[0].enters is None or all(stroke.leaves is None for stroke in left):
        return False
    habit = chance("join", scribe.number, pair).random()
    return bool(habit + 0.06 * draw.standard_normal() < scribe.traits.joining)


def departure_from(stroke: Stroke) -> Stroke:
    """Return the stroke with its last point smooth: the pen goes on from here."""
    sharp = stroke.sharp.copy()
    sharp[-1] = False
    return Stroke(stroke.points, sharp)


def approach_to(before: Stroke, stroke: Stroke) -> Stroke:
    """Return the letter's first stroke continued from the waiting stroke of the letter before."""
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
