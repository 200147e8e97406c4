"""A page is found and read upright however it was scanned or photographed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.page.find_view import segment_view
from handshift.page.sheet import find_sheet


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    return draw_page([Passage(Scribe(3), " ".join(ENGLISH.split()[:60]))], seed=3).image


@pytest.mark.parametrize("quarters", [0, 1, 2, 3])
def test_a_page_is_turned_until_its_writing_stands_upright(page, quarters):
    view, upright, found = segment_view(np.ascontiguousarray(np.rot90(page, quarters)))
    assert view.turned == 90 * quarters
    assert np.array_equal(upright, page)
    assert len(found.words) > 40


def test_a_sheet_on_a_table_is_cut_out_and_straightened(page):
    height, width = page.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    there = corners + np.array([[150, 130], [110, 160], [140, 120], [160, 150]], np.float32)
    size = (width + 300, height + 280)
    matrix = cv2.getPerspectiveTransform(corners, there)
    ground = np.full((size[1], size[0], 3), (70, 55, 45), np.uint8)
    photo = cv2.warpPerspective(page, matrix, size, dst=ground, borderMode=cv2.BORDER_TRANSPARENT)
    view, upright, found = segment_view(photo)
    assert view.sheet is not None
    assert np.array(view.sheet) == pytest.approx(there, abs=0.02 * width)
    assert abs(upright.shape[0] / height - 1) < 0.03
    assert not any(word.cut_off for word in found.words)


def test_a_shadow_is_no_sheet(page):
    light = np.where(np.arange(page.shape[1]) > page.shape[1] // 2, 0.55, 1.0)
    shaded = (page * light[None, :, None]).astype(np.uint8)
    assert segment_view(shaded)[0].sheet is None


def test_a_sheet_in_a_shadow_as_dark_as_its_wooden_table_is_found(page):
    table = np.full((1500, 1200, 3), (120, 88, 60), np.uint8)
    height, width = 1180, 900
    table[160 : 160 + height, 150 : 150 + width] = cv2.resize(page, (width, height))
    light = np.where(np.arange(1500) < 700, 0.45, 1.0)[:, None, None]
    table[160 : 160 + height, 150 : 150 + width] = (
        table[160 : 160 + height, 150 : 150 + width] * light[160 : 160 + height]
    ).astype(np.uint8)
    sheet = find_sheet(table)
    assert sheet is not None
    assert np.abs(np.array(sheet[0]) - (150, 160)).max() < 25
    assert np.abs(np.array(sheet[2]) - (150 + width, 160 + height)).max() < 25
