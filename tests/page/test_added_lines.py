"""What stands clear of a line is an insertion where it has letters, not where it is the tops of tall ones."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.page.added_lines import with_added_lines
from handshift.page.strokes import Strokes

SIZE = 10


def line_with(marks: list[tuple[int, int, int, int]], solid: bool = False) -> Strokes:
    """A line of letters, and marks over it: left, right, lowest and highest row over the line's middle.

    A letter has two upright strokes, a solid mark is one broad stroke.
    """
    letters = [(left, left + 7, -4, 4) for left in range(0, 300, 9)]
    pixels: list[np.ndarray] = []  # of each stroke, (3, pixels): rows, columns, heights over the middle
    for left, right, low, high in letters + marks:
        filled = solid and low > 4
        across = np.arange(left, right + 1) if filled else np.array([left, left + 1, right - 1, right])
        height, column = (part.ravel() for part in np.meshgrid(np.arange(low, high + 1), across))
        pixels.append(np.stack([60 - height, column, height]))
    rows, columns, above = np.hstack(pixels)
    starts = np.cumsum([0, *(stroke.shape[1] for stroke in pixels[:-1])])
    return Strokes(rows, columns, above.astype(np.float32), np.ones(rows.size, np.int32), starts)


def test_small_letters_over_a_line_are_an_insertion():
    marks = [(left, left + 6, 14, 20) for left in range(100, 170, 9)]
    _, inserted = with_added_lines(line_with(marks), SIZE)
    assert len(inserted) == 1


@pytest.mark.parametrize("marks", [[(at, at + 12, 14, 20) for at in (100, 120, 140)], [(100, 160, 14, 18)]])
def test_the_tops_of_tall_letters_and_a_line_over_them_are_none(marks):
    strokes, inserted = with_added_lines(line_with(marks, solid=True), SIZE)
    assert not inserted
    assert set(strokes.line) == {1}
