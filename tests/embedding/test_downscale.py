"""A study may read its words at half their size."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.downscale import downscaled
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH, by_width


def collection(columns: list[int]) -> WordCollection:
    """Black words of so many columns, in the middle of their canvas."""
    crops = np.zeros((len(columns), HEIGHT, WIDTH), np.uint8)
    for crop, width in zip(crops, columns, strict=True):
        crop[20:44, (WIDTH - width) // 2 : (WIDTH + width) // 2] = 255
    names = np.array([f"w{number}" for number in range(len(columns))])
    return WordCollection(crops, names, names, np.ones(len(columns), np.int64), names)


def test_half_size_is_the_mean_of_four_pixels_and_nothing_else_changes():
    rng = np.random.default_rng(0)
    words = collection([40, 80])
    words = replace(words, crops=rng.integers(0, 256, words.crops.shape, dtype=np.uint8))
    half = downscaled(words, 2)
    blocks = words.crops.reshape(2, HEIGHT // 2, 2, WIDTH // 2, 2).mean(axis=(2, 4))
    assert half.crops.dtype == np.uint8 and np.abs(half.crops - blocks).max() <= 0.5
    assert half.writer is words.writer


def test_a_shrunk_word_is_read_on_the_canvas_it_was_read_on_before():
    words = collection([40, 120, 200])
    before = [(rows.tolist(), alike.shape[2]) for rows, alike in by_width(words.crops)]
    after = [(rows.tolist(), 2 * alike.shape[2]) for rows, alike in by_width(downscaled(words, 2).crops)]
    assert after == before == [([0], 96), ([1], 144), ([2], 240)]


def test_a_factor_that_does_not_divide_the_picture_is_refused():
    with pytest.raises(HandshiftError, match="64 × 240 cannot be downscaled 7 times"):
        downscaled(collection([40]), 7)
