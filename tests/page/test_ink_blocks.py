"""A block has ink if any of its pixels has."""

import numpy as np

from handshift.page.ink_blocks import ink_blocks


def test_a_single_pixel_marks_its_block_alone():
    mask = np.zeros((12, 20), np.uint8)
    mask[7, 13] = 1
    found = ink_blocks(mask, across=5, down=4)
    assert found.shape == (3, 4)
    assert np.argwhere(found).tolist() == [[1, 2]]


def test_blocks_are_those_of_both_axes_at_once():
    mask = (np.random.default_rng(0).random((30, 42)) > 0.97).astype(np.uint8)
    assert np.array_equal(ink_blocks(mask, 6, 5), mask.reshape(6, 5, 7, 6).any(axis=(1, 3)))
