"""Words reach the network at one pen scale, whatever the scan's resolution and ink."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handshift.embedding.crops.word_crop import (
    CANVASES,
    HEIGHT,
    LETTER_SIZE,
    WIDTH,
    by_width,
    is_legible,
    pen_scale,
    word_crops,
)
from handshift.page.find_words import Segmentation
from handshift.page.word import Box, Word


def word(height: int, width: int, level: int = 255) -> Word:
    return Word(Box(0, 0, width, height), 0, np.full((height, width), level, np.uint8))


def sheet(letter_size: float, sheet_width: int, column_width: int | None = None) -> Segmentation:
    return Segmentation((), letter_size, sheet_width, column_width)


def test_a_page_at_twice_the_resolution_gives_the_same_picture():
    small = word_crops([word(20, 60)], pen_scale(sheet(16, 1188)))
    large = word_crops([word(40, 120)], pen_scale(sheet(32, 2376)))
    assert small.shape == (1, HEIGHT, WIDTH)
    assert np.array_equal(small, large)


def test_a_large_hand_stays_large_on_the_same_sheet():
    assert pen_scale(sheet(13, 1200)) == pen_scale(sheet(26, 1200))


def test_letters_of_unbelievable_size_are_brought_to_the_average():
    assert pen_scale(sheet(60, 1200)) == LETTER_SIZE / 60


def test_a_hand_taken_for_half_its_size_on_one_page_is_drawn_as_on_the_next():
    assert pen_scale(sheet(6.7, 1275)) == pen_scale(sheet(13, 1275))


@pytest.mark.parametrize("margins", [1.4, 2, 3])
def test_white_about_a_sheet_does_not_make_its_writing_smaller(margins):
    whole = pen_scale(sheet(16, 1200, 970))
    assert pen_scale(sheet(16, round(margins * 1200), 970)) == pytest.approx(whole, rel=0.01)


def test_a_narrow_column_of_letters_of_usual_size_is_how_somebody_writes():
    assert pen_scale(sheet(16, 1200, 600)) == pen_scale(sheet(16, 1200, 970))


def test_writing_clipped_of_its_margins_does_not_become_larger():
    assert pen_scale(sheet(16, 980, 970)) == pytest.approx(pen_scale(sheet(16, 1200, 970)), rel=0.01)


def test_of_a_clipping_large_letters_are_brought_to_the_average():
    assert pen_scale(sheet(16, 500, 490)) == LETTER_SIZE / 16


def test_a_short_word_is_read_on_a_narrow_canvas_and_a_long_one_whole():
    crops = word_crops([word(20, 150), word(20, 40)], 1.0)
    (first, narrow), (second, wide) = by_width(crops)
    assert (first.tolist(), second.tolist()) == ([1], [0])
    assert narrow.shape == (1, HEIGHT, CANVASES[0])
    assert narrow.sum() == crops[1].sum()
    assert wide.sum() == crops[0].sum()


def test_relative_size_is_kept():
    crops = word_crops([word(20, 40), word(40, 80)], 1.0)
    assert (crops[1] > 0).sum() == 4 * (crops[0] > 0).sum()


def test_a_fainter_pen_gives_the_same_picture():
    assert np.array_equal(word_crops([word(20, 40, 120)], 1), word_crops([word(20, 40, 255)], 1))


def test_a_word_larger_than_the_canvas_is_cut_not_shrunk():
    assert (word_crops([word(200, 900)], 1.0) == 255).all()


def test_a_dot_is_not_legible_and_a_word_is():
    assert not is_legible(word(5, 5), 15)
    assert is_legible(word(15, 40), 15)


def test_a_word_that_the_edge_of_the_scan_runs_through_is_not_legible():
    assert not is_legible(replace(word(15, 40), cut_off=True), 15)


def test_no_words_give_no_pictures():
    assert word_crops([], 1.0).shape == (0, HEIGHT, WIDTH)
