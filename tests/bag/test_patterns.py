"""Foreign words stand where their pattern says, exactly as many as asked for."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.bag.patterns import Block, Blocks, Frame, Lines, Scattered, Where

PATTERNS = [*(Block(where) for where in Where), Blocks(2), Blocks(3), Scattered(), Lines(5)]


@pytest.fixture
def frame():
    """Three hundred bags of 2 to 40 words, some nearly all foreign."""
    rng = np.random.default_rng(1)
    size = rng.integers(2, 41, 300)
    return Frame(rng.integers(1, size), size)


def runs(mask):
    return np.count_nonzero(np.diff(mask.astype(int), axis=1, prepend=0) == 1, axis=1)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
def test_the_number_of_foreign_words_is_exact(pattern, frame):
    mask = pattern.place(frame, np.random.default_rng(2))
    assert (mask.sum(axis=1) == frame.count).all()
    assert not (mask & ~frame.inside).any()


@pytest.mark.parametrize("where", Where)
def test_a_block_is_one_run_in_its_part_of_the_bag(where, frame):
    mask = Block(where).place(frame, np.random.default_rng(3))
    before = mask.argmax(axis=1)
    after = frame.size - frame.count - before
    assert (runs(mask) == 1).all()
    if where is Where.FRONT:
        assert (before == 0).all()
    if where is Where.BACK:
        assert (after == 0).all()
    if where is Where.MIDDLE:
        assert (abs(before - after) <= 1).all()


def test_a_block_anywhere_stands_everywhere_equally_often():
    frame = Frame(np.full(4400, 4), np.full(4400, 14))
    start = Block().place(frame, np.random.default_rng(4)).argmax(axis=1)
    assert (abs(np.bincount(start, minlength=11) - 400) < 100).all()


@pytest.mark.parametrize("number", [2, 3, 4])
def test_blocks_are_apart_and_of_like_length(number, frame):
    mask = Blocks(number).place(frame, np.random.default_rng(5))
    possible = np.minimum(np.minimum(number, frame.count), frame.size - frame.count + 1)
    assert (runs(mask) == possible).all()
    for bag, most in zip(mask, possible, strict=True):
        lengths = [len(run) for run in "".join("x" if word else " " for word in bag).split()]
        assert max(lengths) - min(lengths) <= 1 and len(lengths) == most


def test_scattered_words_stand_everywhere_equally_often():
    frame = Frame(np.full(2800, 7), np.full(2800, 14))
    often = Scattered().place(frame, np.random.default_rng(6)).sum(axis=0)
    assert (abs(often - 1400) < 150).all()


def test_every_other_line_is_foreign():
    line = np.array([[3, 3, 4, 4, 4, 5, 5, 6]] * 50)
    mask = Lines().place(Frame(np.full(50, 4), np.full(50, 8), line), np.random.default_rng(7))
    found = {tuple(np.unique(line[0][bag])) for bag in mask}
    assert found == {(3, 5), (4, 6)}


def test_where_lines_are_unknown_runs_of_words_stand_for_them():
    mask = Lines(run=4).place(Frame(np.full(20, 4), np.full(20, 16)), np.random.default_rng(8))
    assert (runs(mask) == 1).all() and set(mask.argmax(axis=1)) == {0, 4, 8, 12}
