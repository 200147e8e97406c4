"""A is the hand that wrote most, by the length of its words, in `hands` as in `examine`."""

from __future__ import annotations

import numpy as np

from handshift.attribution.page_hands import PageHands
from handshift.pipeline.hand_finder import _names

SHARE = np.array([[1.0, 0.0]] * 4 + [[0.0, 1.0]] * 3)  # four marks by the first hand, three by the second
LENGTHS = np.array([0.5] * 4 + [4.0] * 3)  # pieces of a stamp, and words


def test_the_hand_of_few_long_words_is_named_before_that_of_many_short_marks() -> None:
    page, people = PageHands(np.array([0, 1, 0, 0, 0]), SHARE), np.array([7, 3])
    assert _names([page], [people], [LENGTHS]) == {3: "A", 7: "B"}
    assert _names([page], [people], [np.ones(7)]) == {7: "A", 3: "B"}


def test_the_length_is_that_of_all_pages() -> None:
    page, people = PageHands(np.array([0, 1, 0, 0, 0]), SHARE), np.array([7, 3])
    other = PageHands(np.array([1, 0, 0, 0, 0]), np.ones((5, 1)))
    assert _names([page, other], [people, np.array([7])], [LENGTHS, np.full(5, 3.0)]) == {7: "A", 3: "B"}
