"""A line drawn round a text by hand is a drawing and ties no words together; so is a binding thread."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE
from handshift.page.segment import segment
from handshift.page.upright_lines import pieces_of_upright_lines
from handshift.page.word import Box
from handshift.page.word_kind import WordKind

INK = (40, 40, 40)


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    return draw_page([Passage(Scribe(5), ENGLISH_NOTE)], seed=5).image


@pytest.fixture(scope="module")
def words(page: np.ndarray) -> list[Box]:
    return [word.box for word in segment(page).words]


def outlined(page: np.ndarray, words: list[Box]) -> np.ndarray:
    """The page with a wavering line round its text that touches the first and last letters of lines."""
    left, top = min(box.x for box in words), min(box.y for box in words)
    right = int(np.percentile([box.x + box.width for box in words], 90))
    bottom = max(box.y + box.height for box in words)
    angle = np.linspace(0, 2 * np.pi, 400)
    middle, half = ((left + right) / 2, (top + bottom) / 2), ((right - left) / 2, (bottom - top) / 2)
    # A superellipse: nearly a rectangle with round corners, whose sides run through letters.
    reach = (np.abs(np.cos(angle)) ** 6 + np.abs(np.sin(angle)) ** 6) ** (-1 / 6)
    x = middle[0] + half[0] * reach * np.cos(angle) + 6 * np.sin(9 * angle)
    y = middle[1] + half[1] * reach * np.sin(angle) + 6 * np.cos(7 * angle)
    points = np.column_stack([x, y]).astype(np.int32)
    return cv2.polylines(page.copy(), [points], True, INK, 2, cv2.LINE_AA)


def test_the_words_within_a_line_drawn_round_them_are_those_without_it(page, words):
    found = segment(outlined(page, words)).words
    written = [word.box for word in found if word.kind is WordKind.WRITING]
    same = sum(any(_overlap(box, other) > 0.5 for other in written) for box in words)
    assert same >= 0.85 * len(words)
    assert len(written) <= 1.2 * len(words)


def test_the_line_itself_is_a_drawing(page, words):
    found = segment(outlined(page, words)).words
    drawn = [word.box for word in found if word.kind is WordKind.DRAWING]
    letters = np.median([box.height for box in words])
    assert sum(max(box.width, box.height) > 2 * letters for box in drawn) >= 3


def test_the_ink_of_the_line_is_that_of_a_drawing_though_it_touches_words(page, words):
    found = segment(outlined(page, words)).words
    drawn = sum(int((word.ink > 95).sum()) for word in found if word.kind is WordKind.DRAWING)
    sides = [max(box.x + box.width for box in words) - min(box.x for box in words)]
    sides.append(max(box.y + box.height for box in words) - min(box.y for box in words))
    assert drawn > sum(sides)  # half of the way round, if the line were one pixel broad


def test_pieces_of_a_binding_thread_are_no_words():
    thread = Box(20, 100, 6, 400)
    marks = [Box(18, 540, 8, 30), Box(22, 620, 5, 24), Box(60, 540, 8, 30), Box(15, 700, 40, 20)]
    assert pieces_of_upright_lines(marks, [thread], 12.0, 45.0).tolist() == [True, True, False, False]


def test_a_low_stroke_is_no_line_up_the_page():
    assert not pieces_of_upright_lines([Box(18, 540, 8, 30)], [Box(20, 100, 6, 40)], 12.0, 45.0).any()


def _overlap(one: Box, other: Box) -> float:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    both = max(0, across) * max(0, down)
    return both / (one.width * one.height + other.width * other.height - both)
