"""A piece of a line drawn round a text is no word; letters, however far apart, are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.page.bare_strokes import is_bare_stroke
from handshift.page.segment import segment
from handshift.page.word_kind import WordKind

SIZE = 17.0


def drawn(points: np.ndarray) -> np.ndarray:
    """The ink of a line through these points, (points, 2) x and y in letter sizes, without white about it."""
    at = np.rint(points * SIZE).astype(np.int32)
    at += 4 - at.min(axis=0)
    ink = np.zeros((at[:, 1].max() + 6, at[:, 0].max() + 6), np.uint8)
    cv2.polylines(ink, [at], False, 255, 3)
    rows, columns = np.nonzero(ink)
    return ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


ALONG = np.linspace(0, 1, 60)
WAVE = np.column_stack([8 * ALONG, 0.3 * np.sin(9 * ALONG)])
HOOK = np.column_stack([3 * ALONG**2, 4 * ALONG])
LOOP = np.column_stack([3 * np.sin(4.5 * ALONG), np.cos(4.5 * ALONG)])
LETTERS = np.column_stack([5 * ALONG + 0.3 * np.sin(50 * ALONG), np.cos(50 * ALONG)])


@pytest.mark.parametrize("points", [WAVE, HOOK, LOOP])
def test_a_piece_of_a_line_is_a_bare_stroke(points):
    assert is_bare_stroke(drawn(points), SIZE)


def test_strokes_that_turn_back_as_letters_do_are_none():
    assert not is_bare_stroke(drawn(LETTERS), SIZE)


def test_a_bracket_or_a_dash_is_too_short():
    assert not is_bare_stroke(drawn(HOOK * 0.6), SIZE)
    assert not is_bare_stroke(drawn(WAVE / 4), SIZE)


def test_words_are_no_drawings():
    for number in range(3):
        found = segment(draw_page([Passage(Scribe(number), ENGLISH)], seed=number).image).words
        assert sum(word.kind is WordKind.DRAWING for word in found) <= 1
