"""Words reach the network at one pen scale, whatever the scan's resolution and ink."""

from __future__ import annotations

import numpy as np

from handshift.embed.crop import HEIGHT, LETTER_SIZE, WIDTH, is_legible, word_crops
from handshift.page.word import Box, Word


def word(height: int, width: int, level: int = 255) -> Word:
    return Word(Box(0, 0, width, height), 0, np.full((height, width), level, np.uint8))


def test_a_page_at_twice_the_resolution_gives_the_same_picture():
    small, large = word_crops([word(20, 60)], LETTER_SIZE), word_crops([word(40, 120)], 2 * LETTER_SIZE)
    assert small.shape == (1, HEIGHT, WIDTH)
    assert np.array_equal(small, large)


def test_relative_size_is_kept():
    crops = word_crops([word(20, 40), word(40, 80)], LETTER_SIZE)
    assert (crops[1] > 0).sum() == 4 * (crops[0] > 0).sum()


def test_a_fainter_pen_gives_the_same_picture():
    assert np.array_equal(word_crops([word(20, 40, 120)], 15), word_crops([word(20, 40, 255)], 15))


def test_a_word_larger_than_the_canvas_is_cut_not_shrunk():
    assert (word_crops([word(200, 900)], LETTER_SIZE) == 255).all()


def test_a_dot_is_not_legible_and_a_word_is():
    assert not is_legible(word(5, 5), 15)
    assert is_legible(word(15, 40), 15)


def test_no_words_give_no_pictures():
    assert word_crops([], 15).shape == (0, HEIGHT, WIDTH)
