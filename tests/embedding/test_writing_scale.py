"""The scale of crops comes from the writing: resolution and sheet do not matter, relative size does."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Scribe
from handshift.corpus.scribes.page import draw_word
from handshift.embedding.crops.word_crop import HEIGHT
from handshift.embedding.crops.writing_scale import (
    SPREAD,
    is_whole,
    scaled_crops,
    vertical_spread,
    writing_scale,
)
from handshift.page.word import Box, Word

TEXTS = ("morning", "parcel", "quilt", "handle", "blue", "stove", "smokes")


def words(scribe: int, dpi: float = 150, texts: tuple[str, ...] = TEXTS) -> list[np.ndarray]:
    return [draw_word(Scribe(scribe), text, seed, dpi=dpi) for seed, text in enumerate(texts)]


def as_word(ink: np.ndarray) -> Word:
    return Word(Box(0, 0, ink.shape[1], ink.shape[0]), 0, ink)


def test_the_spread_of_a_bar_is_its_height_over_root_twelve() -> None:
    assert vertical_spread(np.full((24, 40), 255, np.uint8)) == pytest.approx(24 / 12**0.5, rel=0.01)
    assert vertical_spread(np.zeros((24, 40), np.uint8)) == 0


def test_a_sloping_line_is_not_taken_for_larger_writing() -> None:
    ink = words(3)[0]
    shear = np.array([[1, 0, 0], [0.12, 1, 0]], np.float32)
    height = int(ink.shape[0] + 0.12 * ink.shape[1]) + 1
    sloping = cv2.warpAffine(ink, shear, (ink.shape[1], height))
    assert vertical_spread(sloping) == pytest.approx(vertical_spread(ink), rel=0.1)


@pytest.mark.parametrize("dpi", [100, 300, 600])
def test_every_resolution_comes_to_one_scale(dpi: int) -> None:
    usual, other = writing_scale(words(5)), writing_scale(words(5, dpi))
    assert other * dpi / 150 == pytest.approx(usual, rel=0.04)


def test_some_words_of_a_page_have_its_scale() -> None:
    whole = writing_scale(words(5))
    for part in (TEXTS[:4], TEXTS[3:]):
        assert writing_scale(words(5, texts=part)) == pytest.approx(whole, rel=0.15)


def test_a_word_out_of_all_proportion_does_not_move_the_scale() -> None:
    ordinary = words(5)
    blot = np.full((300, 300), 255, np.uint8)
    assert writing_scale([*ordinary, blot]) == pytest.approx(writing_scale(ordinary), rel=0.12)


def test_words_keep_their_sizes_relative_to_each_other() -> None:
    large = np.zeros((30, 30), np.uint8)
    cv2.rectangle(large, (0, 0), (29, 29), 255, 3)
    small = cv2.resize(large, (15, 15), interpolation=cv2.INTER_AREA)
    crops = scaled_crops([as_word(large), as_word(small)], writing_scale([large, small]))
    heights = [np.count_nonzero(crop.any(axis=1)) for crop in crops]
    assert heights[0] == pytest.approx(2 * heights[1], abs=2)


def test_a_word_on_the_canvas_has_the_spread_it_should_have() -> None:
    inks = words(8)
    crops = scaled_crops([as_word(ink) for ink in inks], writing_scale(inks))
    assert np.median([vertical_spread(crop) for crop in crops]) == pytest.approx(SPREAD, rel=0.15)


def test_a_word_taller_than_the_canvas_loses_no_tips() -> None:
    tall = np.zeros((200, 20), np.uint8)
    tall[:, 8:12] = 255
    tall[:6] = tall[-6:] = 255
    (crop,) = scaled_crops([as_word(tall)], 1.0)
    rows = np.flatnonzero(crop.any(axis=1))
    assert (rows[0], rows[-1]) == (0, HEIGHT - 1)
    assert (crop[0] > 128).sum() > 2 * (crop[HEIGHT // 2] > 60).sum()  # its feet are there


def test_a_dot_is_no_word() -> None:
    assert not is_whole(as_word(np.full((4, 9), 255, np.uint8)), 1.0)
    assert is_whole(as_word(np.full((16, 20), 255, np.uint8)), 1.0)


def test_without_ink_nothing_is_scaled() -> None:
    assert writing_scale([]) == writing_scale([np.zeros((9, 9), np.uint8)]) == 1.0
