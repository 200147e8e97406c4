"""A word crossed out is divided from the neighbour that its line reaches; the neighbour is writing again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from handshift.page.struck_out_division import divide_struck_out
from handshift.page.word import Box, Word
from handshift.page.word_kind import WordKind

SIZE = 10.0


def mark(*spans: tuple[int, int], kind: WordKind = WordKind.STRUCK_OUT) -> Word:
    """A mark with upright strokes in these columns; those that are crossed out have a line through them."""
    ink = np.zeros((20, spans[-1][1]), np.uint8)
    for number, (left, right) in enumerate(spans):
        ink[:, left:right:3] = 255
        if number == 0:
            ink[9:12, left:right] = 255
    return Word(Box(100, 200, ink.shape[1], 20), 0, ink, kind=kind)


def crossed(words: Sequence[Word]) -> np.ndarray:
    """A test by whether rows in the middle are full."""
    return np.array([4.0 if (word.ink[9:12] > 0).mean() > 0.6 else -4.0 for word in words])


def test_the_neighbour_of_a_word_crossed_out_is_writing():
    first, second = divide_struck_out([mark((0, 40), (46, 76))], crossed, SIZE)
    assert (first.kind, second.kind) == (WordKind.STRUCK_OUT, WordKind.WRITING)
    assert first.box == Box(100, 200, 40, 20)
    assert second.box == Box(146, 200, 28, 20) and second.ink.shape == (20, 28)


def test_three_words_of_one_mark_are_divided_too():
    found = divide_struck_out([mark((0, 60), (64, 80), (84, 100))], crossed, SIZE)
    assert found[0].kind is WordKind.STRUCK_OUT
    assert sum(word.ink.shape[1] for word in found if word.kind is WordKind.WRITING) >= 30


def test_what_has_no_gap_or_is_no_strike_out_stays_whole():
    whole, other = mark((0, 60)), mark((0, 40), (46, 76), kind=WordKind.DRAWING)
    assert divide_struck_out([whole, other], crossed, SIZE) == [whole, other]
