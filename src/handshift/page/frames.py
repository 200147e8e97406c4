"""Rings and frames: large closed outlines, as of stamps and the boxes of forms, that hold other marks."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from handshift.page.components import Components
from handshift.page.enclosed_area import HOLLOW, enclosed_area
from handshift.page.word import Box

_WIDEST_LETTER = 3.0
"""Least side of a frame, in letter heights: a loop of a large letter is smaller."""
_SPARSE = 0.055
"""Share of ink in its box below which a large mark is lines and not letters, such as a table."""
_ROUND = (0.7, 0.86)
"""Enclosed area over that of the rectangle around it: π/4 for an ellipse, 1 for a rectangle."""
_ELLIPSE = 0.8
"""Least likeness of a ring to an ellipse; a line drawn round something by hand has less."""
_RULE = (3.2, 0.2)
"""Least height and greatest width of an upright rule, in letter heights; an l is lower or leans."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A large outline."""

    label: int
    """Of its connected component; 0 where it has several."""
    box: Box
    round: bool = False
    rule: bool = False
    """Whether it is a straight upright line, as between the columns of a form."""
    regular: bool = False
    """Whether it is an ellipse or a rectangle, and not drawn by hand round something."""
    ink: NDArray[np.uint8] | None = field(default=None, repr=False, compare=False)
    """Its own pixels, where they are not those of a whole component."""


def find_frames(pieces: Components, letters: float) -> list[Frame]:
    """Find the components that are outlines of something.

    Args:
        pieces: The connected components of a page.
        letters: Median letter height in pixels.
    """
    left, top, width, height, area = pieces.stats.T
    large = pieces.kept & (np.minimum(width, height) > _WIDEST_LETTER * letters)
    upright = pieces.kept & (height > _RULE[0] * letters) & (width <= np.maximum(3, _RULE[1] * letters))
    found = [
        Frame(int(label), Box(*(int(side[label]) for side in (left, top, width, height))), rule=True)
        for label in np.flatnonzero(upright)
    ]
    for label in np.flatnonzero(large):
        x, y, across, down = (int(side[label]) for side in (left, top, width, height))
        patch = (pieces.labels[y : y + down, x : x + across] == label) & (
            pieces.mask[y : y + down, x : x + across] > 0
        )
        enclosed = enclosed_area(patch.astype(np.uint8))
        hollow = enclosed.area > HOLLOW * across * down
        if hollow or area[label] < _SPARSE * across * down:
            is_round = hollow and _ROUND[0] < enclosed.ratio < _ROUND[1] and enclosed.ellipse > _ELLIPSE
            regular = is_round or (hollow and enclosed.ratio >= _ROUND[1])
            found.append(Frame(int(label), Box(x, y, across, down), is_round, regular=regular))
    return found
