"""Finds the pieces of a line that runs up the page, such as a binding thread or the fold of an opening."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.page.word import Box

_NARROW, _BESIDE = 1.5, 1.0
"""Letter sizes: greatest width of a piece, and how far its middle lies from the line."""
_HIGH = 1.3
"""Distances of lines that one piece at least is high: an l or a 1 is lower."""


def pieces_of_upright_lines(
    marks: Sequence[Box], others: Sequence[Box], size: float, spacing: float
) -> NDArray[np.bool_]:
    """Which narrow marks stand above, below or on a line up the page.

    Args:
        marks: Boxes of marks.
        others: Boxes of drawings and rules, of which those that are narrow and high are such lines.
        size: Height of small letters.
        spacing: Distance of lines.

    Returns:
        (marks,) flags.
    """
    narrow = np.array([mark.width < min(_NARROW * size, mark.height) for mark in marks], bool)
    middles = np.array([mark.x + mark.width / 2 for mark in marks])
    found = np.zeros(len(marks), bool)
    for line in others:
        if line.width < _NARROW * size and line.height > _HIGH * spacing:
            left, right = line.x - _BESIDE * size, line.x + line.width + _BESIDE * size
            near = (middles >= left) & (middles <= right)
            found |= narrow & near
    return found
