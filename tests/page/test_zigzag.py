"""Straight strokes that rise and fall in turn are told from strokes that slant one way."""

from __future__ import annotations

import cv2
import numpy as np

from handshift.page.zigzag import zigzag

SIZE = 20.0


def strokes(points: list[list[tuple[int, int]]]) -> np.ndarray:
    mask = np.zeros((50, 200), np.uint8)
    for line in points:
        cv2.polylines(mask, [np.array(line, np.int32)], False, 1, 3)
    return mask


def test_a_zigzag_turns_along_the_whole_word():
    line = [(10 + 18 * at, 40 if at % 2 else 8) for at in range(11)]
    turns, cover = zigzag(strokes([line]), SIZE)
    assert turns * 200 / 50 >= 8
    assert cover > 0.6


def test_strokes_that_slant_one_way_are_no_zigzag():
    slanting = [[(10 + 18 * at, 40), (26 + 18 * at, 8)] for at in range(9)]
    assert zigzag(strokes(slanting), SIZE) == (0.0, 0.0)


def test_low_strokes_do_not_count():
    low = [(10 + 6 * at, 30 if at % 2 else 20) for at in range(30)]
    assert zigzag(strokes([low]), SIZE) == (0.0, 0.0)
