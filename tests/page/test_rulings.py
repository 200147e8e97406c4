"""Rules are erased as thin as they are; what is darker than they are stays."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE
from handshift.page.components import components_of
from handshift.page.deskew import level_ruled
from handshift.page.ink import ink_map, rulings
from handshift.page.lines import line_period

INK = 95


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    return draw_page([Passage(Scribe(3), ENGLISH_NOTE)], seed=3).image


def squared(image: np.ndarray, step: int, level: int) -> np.ndarray:
    """The page on squared paper."""
    image = image.copy()
    for at in range(step, image.shape[0], step):
        image[at : at + 2] = np.minimum(image[at : at + 2], level)
    for at in range(step, image.shape[1], step):
        image[:, at : at + 2] = np.minimum(image[:, at : at + 2], level)
    return image


def test_strokes_that_cross_the_rules_of_squared_paper_stay(page):
    clean = ink_map(page) > INK
    found = ink_map(squared(page, 40, 190)) > INK
    assert (found & clean).sum() >= 0.97 * clean.sum()
    assert (found & ~clean).sum() <= 0.1 * clean.sum()


def test_rules_as_dark_as_the_writing_take_no_more_of_it_than_they_cover(page):
    level = int(np.percentile(page.min(axis=2)[ink_map(page) > INK], 50))
    clean = ink_map(page) > INK
    lined = squared(page, 40, level)
    found = ink_map(lined) > INK
    beside = clean & (lined == page).all(axis=2)
    assert (found & beside).sum() >= 0.9 * beside.sum()


def test_where_two_rules_cross_nothing_is_left():
    mask = np.zeros((600, 600), np.uint8)
    mask[40::40], mask[41::40] = 1, 1
    mask[:, 40::40], mask[:, 41::40] = 1, 1
    assert (mask - rulings(mask)).sum() <= 0.02 * mask.sum()


def test_two_flourishes_are_no_ruled_paper_askew(page):
    image = page.copy()
    height = image.shape[0]
    cv2.line(image, (200, height - 60), (700, height - 560), (40, 40, 40), 3)
    cv2.line(image, (700, height - 300), (1150, height - 280), (40, 40, 40), 3)
    assert level_ruled(components_of(ink_map(image)), image) is None


def test_lines_are_as_far_apart_as_their_strokes_allow():
    # Bands of tall strokes every 60 pixels, each with marks at half the distance that correlate as well.
    mask = np.zeros((900, 700), np.uint8)
    for top in range(30, 840, 60):
        for left in range(20, 680, 24):
            mask[top : top + 45, left : left + 3] = 1
        for left in range(30, 680, 6):
            mask[top + 2 : top + 11, left : left + 2] = 1
            mask[top + 32 : top + 41, left : left + 2] = 1
    period = line_period(components_of(mask * np.uint8(255)))
    assert period == pytest.approx(60, abs=2)


def test_no_distance_below_the_least_one_is_found():
    mask = np.zeros((900, 700), np.uint8)
    for top in range(30, 840, 30):
        for left in range(20, 680, 12):
            mask[top : top + 10, left : left + 3] = 1
    pieces = components_of(mask * np.uint8(255))
    assert line_period(pieces) == pytest.approx(30, abs=1)
    assert line_period(pieces, closest=45) == pytest.approx(60, abs=1)
