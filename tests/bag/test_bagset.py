"""A bag set gives back what was put into it, bag by bag or padded, and stays small."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.bag.bagset import BagSet, joined


@pytest.fixture
def bags():
    return BagSet(
        rows=[4, 0, 7, 1, 2, 9],
        offsets=[0, 3, 3, 6],
        foreign=[False, True, False, False, True, True],
        label=[True, False, False],
        writer=["ann", "bob", "ann"],
        kind=["mixed", "single", "spliced"],
        key=["ann/1", "bob/1", "ann/2"],
    )


def test_a_bag_is_its_rows_in_reading_order(bags):
    bag = bags[0]
    assert bag.rows.tolist() == [4, 0, 7] and bag.foreign.tolist() == [False, True, False]
    assert (bag.writer, bag.label, bag.kind, bag.key) == ("ann", True, "mixed", "ann/1")
    assert bags[-1].rows.tolist() == [1, 2, 9] and not bags[-1].label
    assert [bag.rows.size for bag in bags] == [3, 0, 3]


def test_columns_come_back_as_given(bags):
    assert bags.rows.tolist() == [4, 0, 7, 1, 2, 9]
    assert bags.foreign.tolist() == [False, True, False, False, True, True]
    assert bags.label.tolist() == [True, False, False]
    assert bags.writer.tolist() == ["ann", "bob", "ann"]
    assert bags.kind.tolist() == ["mixed", "single", "spliced"]
    assert bags.foreign_words.tolist() == [1, 0, 2]


def test_padded_bags_say_which_places_hold_words(bags):
    rows, mask, foreign = bags.padded([1, 2])
    assert rows.tolist() == [[0, 0, 0], [1, 2, 9]] and rows.dtype == np.int64
    assert mask.tolist() == [[False] * 3, [True] * 3]
    assert foreign.tolist() == [[False] * 3, [False, True, True]]


def test_padding_is_never_foreign(bags):
    short = BagSet([3, 5, 6], [0, 1, 3], [True, True, False], [True, True], ["a", "b"], ["mixed"] * 2)
    _, mask, foreign = short.padded()
    assert mask.tolist() == [[True, False], [True, True]]
    assert foreign.tolist() == [[True, False], [True, False]]


def test_taking_and_joining_keep_every_bag_whole(bags):
    both = joined([bags.take([2]), bags.take(bags.label)])
    assert [bag.rows.tolist() for bag in both] == [[1, 2, 9], [4, 0, 7]]
    assert both.key.tolist() == ["ann/2", "ann/1"] and both.label.tolist() == [False, True]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"offsets": [0, 3, 2, 6]}, "offsets"),
        ({"offsets": [0, 3, 3, 5]}, "offsets"),
        ({"writer": ["ann"]}, "writer has 1"),
        ({"rows": [4, 0, 7, 1, 2, -9]}, "from 0"),
        ({"width": 2}, "2 words"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, complaint):
    fitting = {
        "rows": [4, 0, 7, 1, 2, 9],
        "offsets": [0, 3, 3, 6],
        "foreign": [False] * 6,
        "label": [False] * 3,
        "writer": ["a"] * 3,
        "kind": ["single"] * 3,
    }
    with pytest.raises(ValueError, match=complaint):
        BagSet(**fitting | change)
