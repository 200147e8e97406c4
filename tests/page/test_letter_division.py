"""A word of known text is divided into letters where its ink leaves no doubt."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.page.letter_division import CORE, SURE, divide

STEP, BASE = 30, 60


def spaced(text: str, slant: float = 0.0, joined: bool = False) -> np.ndarray:
    """Ink of a word whose letters stand `STEP` pixels apart, slanted, joined by a line at the base."""
    ink = np.zeros((90, STEP * len(text) + 60), np.uint8)
    for place, letter in enumerate(text):
        cv2.putText(ink, letter, (20 + STEP * place, BASE), cv2.FONT_HERSHEY_SIMPLEX, 1, 255, 2, cv2.LINE_AA)
    if joined:
        cv2.line(ink, (24, BASE - 2), (20 + STEP * len(text) - 12, BASE - 2), 255, 2)
    shear = np.array([[1, -slant, slant * BASE], [0, 1, 0]], np.float64)
    return cv2.warpAffine(ink, shear, ink.shape[::-1]) / 255.0


def alone(letter: str) -> np.ndarray:
    """The outline of one letter at the height of the word's."""
    ink = spaced(letter)
    rows, columns = np.nonzero(ink > 0.4)
    return ink[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]


def alike(one: np.ndarray, two: np.ndarray) -> float:
    """Correlation of two pictures brought to one size."""
    size = (32, 32)
    pair = [
        cv2.resize(ink.astype(np.float32), size, interpolation=cv2.INTER_AREA).ravel() for ink in (one, two)
    ]
    return float(np.corrcoef(*pair)[0, 1])


@pytest.mark.parametrize("text", ["London", "garden", "quiet", "Express", "1496"])
def test_letters_that_stand_apart_are_all_found_and_are_those_of_the_text(text):
    found = divide(spaced(text), text)
    assert [one.text for one in found] == list(text)
    for one in found:
        assert max(text, key=lambda letter: alike(one.ink, alone(letter))) == one.text


def test_slanted_letters_are_told_apart_though_no_column_is_empty():
    ink = spaced("hilted", slant=0.5)
    found = divide(ink, "hilted")
    assert len(found) >= 5
    assert all(one.text == "hilted"[one.place] for one in found)


def test_a_stroke_that_joins_letters_leaves_some_of_them_sure():
    apart = {one.place: one.ink for one in divide(spaced("garden"), "garden")}
    found = divide(spaced("garden", joined=True), "garden")
    assert len(found) >= 3
    for one in found:
        letter = apart[one.place]
        width = round(one.ink.shape[1] * len(letter) / len(one.ink))
        joined = np.pad(cv2.resize(one.ink, (width, len(letter))), ((0, 0), (20, 20)))
        fit = cv2.matchTemplate(joined, letter, cv2.TM_CCORR_NORMED)
        assert fit.max() > 0.8, one.text


def test_a_line_without_letters_gives_none():
    scrawl = np.zeros((40, 200))
    scrawl[18:21, 5:195] = 1.0
    assert divide(scrawl, "garden") == ()


def test_short_texts_and_empty_pictures_are_left_alone():
    assert divide(spaced("a"), "a") == ()
    assert divide(np.zeros((30, 60)), "garden") == ()


def test_letters_come_at_one_size_with_their_certainty():
    (one, *_) = divide(spaced("nnn"), "nnn")
    assert one.certainty >= SURE
    assert 0.7 * CORE <= one.ink.shape[0] <= 1.5 * CORE
