"""Signatures are recognised apart from the text above them."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.page.signatures import signatures
from handshift.page.word import Box, Word

SIZE, SPACING = 20, 60


def mark(x: float, line: int, width: float, height: float) -> Word:
    """A mark in letter sizes, whose middle lies on the line of that number."""
    across, high = round(width * SIZE), round(height * SIZE)
    y = SPACING * (line + 1) - high // 2
    return Word(Box(round(x * SIZE), y, across, high), line, np.full((high, across), 255, np.uint8))


TEXT = [mark(6 * place, line, 4, 2) for line in range(4) for place in range(5)]


def signed(*below: Word, crossed: bool = False) -> bool:
    """Whether the first of these marks below a text is a signature."""
    words = [*TEXT, *below]
    flags = np.zeros(len(words), bool)
    flags[len(TEXT)] = crossed
    return len(TEXT) in signatures(words, flags, SIZE, SPACING)


def test_a_large_mark_below_the_text_is_a_signature_and_one_in_it_is_not():
    assert signed(mark(10, 6, 5, 4))
    assert not signed(mark(40, 3, 5, 4))


@pytest.mark.parametrize(("beside", "found"), [(0, True), (1, True), (2, False)])
def test_a_name_little_higher_than_words_is_a_signature_where_it_stands_by_itself(beside, found):
    others = [mark(17 + 6 * place, 6, 4, 2) for place in range(beside)]
    assert signed(mark(10, 6, 6, 3.2), *others) is found


def test_a_last_word_by_itself_is_no_signature():
    assert not signed(mark(0, 6, 6, 2.4))
    assert not signed(mark(0, 6, 4, 3.2))
    assert not signed(mark(0, 4, 6, 3.2))  # on the next line


def test_a_name_with_a_flourish_through_it_is_a_signature_whatever_its_height():
    assert signed(mark(10, 6, 4, 2), crossed=True)
