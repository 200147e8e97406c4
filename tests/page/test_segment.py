"""Words are found on the papers and slopes that people write on."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE, KOREAN
from handshift.page.external_segmentation import ExternalWord
from handshift.page.hand_labels import box_around
from handshift.page.segment import segment, working_factor
from handshift.page.word import Box
from handshift.page.word_kind import WordKind


def matched(found, truth) -> float:
    """Share of true boxes that a found one covers by half, intersection over union."""
    hits = 0
    for a in truth:
        for b in found:
            wide = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
            high = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
            shared = max(0, wide) * max(0, high)
            if shared >= 0.5 * (a.width * a.height + b.width * b.height - shared):
                hits += 1
                break
    return hits / len(truth)


def centre(box: Box) -> tuple[float, float]:
    return box.x + box.width / 2, box.y + box.height / 2


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({}, ENGLISH_NOTE),
        ({"paper": "squared"}, ENGLISH_NOTE),
        ({"paper": "tinted", "layout": Layout(sag_mm=4)}, ENGLISH_NOTE),
        ({"layout": Layout(slope_deg=-8)}, ENGLISH_NOTE),
        ({"dpi": 300}, ENGLISH_NOTE),
        ({}, KOREAN),
    ],
    ids=["plain", "squared", "tinted and sagging", "sloping", "300 dpi", "Hangul"],
)
def test_words_of_synthetic_pages_are_found(settings, text):
    page = draw_page([Passage(Scribe(0), text)], seed=3, **settings)
    found = segment(page.image).words
    assert abs(len(found) - len(page.words)) <= 0.06 * len(page.words)
    assert matched([word.box for word in found], [word.box for word in page.words]) >= 0.94


def test_the_column_is_as_wide_on_a_larger_ground_and_a_line_or_two_are_none():
    page = draw_page([Passage(Scribe(0), ENGLISH_NOTE)], seed=3)
    alone, within = (
        segment(page.image),
        segment(cv2.copyMakeBorder(page.image, 0, 0, 300, 300, cv2.BORDER_REPLICATE)),
    )
    assert within.sheet_width == alone.sheet_width + 600
    assert within.column_width == pytest.approx(alone.column_width, rel=0.02)
    assert 0.6 * alone.sheet_width < alone.column_width < 0.93 * alone.sheet_width
    assert segment(page.image[: page.image.shape[0] // 6]).column_width is None


def test_words_of_a_black_and_white_scan_are_found():
    page = draw_page([Passage(Scribe(3), ENGLISH_NOTE)], seed=2)
    dark = page.image.min(axis=2, keepdims=True) < 128
    image = np.repeat(np.where(dark, 0, 255).astype(np.uint8), 3, axis=2)
    assert matched([word.box for word in segment(image).words], [word.box for word in page.words]) > 0.9


def test_words_come_in_reading_order():
    page = draw_page([Passage(Scribe(2), ENGLISH_NOTE)], seed=1)
    words = segment(page.image).words
    lines = [word.line for word in words]
    assert lines == sorted(lines)
    for line in set(lines):
        left = [word.box.x for word in words if word.line == line]
        assert left == sorted(left)


def test_a_page_turned_by_ten_degrees_is_read_and_reported_in_its_own_pixels():
    page = draw_page([Passage(Scribe(4), ENGLISH_NOTE)], seed=1)
    height, width = page.image.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), 10, 1.0)
    turned = cv2.warpAffine(page.image, turn, (width, height), borderValue=(250, 250, 250))
    words = segment(turned).words
    assert abs(len(words) - len(page.words)) <= 0.1 * len(page.words)
    wanted = np.array([[*centre(word.box), 1] for word in page.words]) @ turn.T  # (words, 2)
    given = np.array([centre(word.box) for word in words])
    apart = np.linalg.norm(wanted[:, None] - given[None], axis=2).min(axis=1)
    assert np.quantile(apart, 0.9) < 15


@pytest.mark.parametrize("degrees", [3, 8])
def test_rules_that_lie_askew_do_not_tie_words_together(degrees):
    page = draw_page([Passage(Scribe(4), ENGLISH_NOTE)], seed=1, layout=Layout(slope_deg=0))
    ruled = page.image.copy()
    for y in range(40, ruled.shape[0], 48):
        ruled[y : y + 2] = np.minimum(ruled[y : y + 2], 120)
    height, width = ruled.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    words = segment(cv2.warpAffine(ruled, turn, (width, height), borderValue=(250, 250, 250))).words
    written = [word for word in words if word.kind is WordKind.WRITING]
    assert abs(len(written) - len(page.words)) <= 0.15 * len(page.words)


def test_a_crop_holds_its_own_ink_only():
    page = draw_page([Passage(Scribe(1), ENGLISH_NOTE)], seed=2)
    for word in segment(page.image).words:
        assert word.ink.shape == (word.box.height, word.box.width)
        assert word.ink.any(axis=0)[[0, -1]].all() and word.ink.any(axis=1)[[0, -1]].all()


def test_words_at_the_edge_of_a_scan_are_said_to_be_cut_off():
    page = draw_page([Passage(Scribe(0), ENGLISH_NOTE)], seed=3)
    first = [word.box for word in page.words if word.line == 0]
    middle = int(np.median([box.y + box.height / 2 for box in first]))
    assert not any(word.cut_off for word in segment(page.image).words)
    words = segment(page.image[middle:]).words
    cut_off = [word for word in words if word.cut_off]
    assert len(cut_off) >= 0.6 * len(first)
    assert {word.line for word in cut_off} == {0}


def test_one_line_of_writing_is_enough():
    page = draw_page([Passage(Scribe(3), "The boat leaves at seven tomorrow")], seed=5)
    words = segment(page.image).words
    assert {word.line for word in words} == {0}
    assert abs(len(words) - 6) <= 1


def test_given_words_are_cut_where_they_are_given():
    page = draw_page([Passage(Scribe(0), ENGLISH_NOTE)], seed=3)
    given = [ExternalWord(word.box, word.line, word.text) for word in page.words]
    words = segment(page.image, given).words
    assert [(word.box, word.text) for word in words] == [(word.box, word.text) for word in page.words]
    assert all(word.ink.any() for word in words)


def test_given_lines_are_split_into_words():
    page = draw_page([Passage(Scribe(0), ENGLISH_NOTE)], seed=3)
    lines = sorted({word.line for word in page.words})
    boxes = [box_around([word.box for word in page.words if word.line == line]) for line in lines]
    given = [ExternalWord(box, line, whole_line=True) for line, box in zip(lines, boxes, strict=True)]
    words = segment(page.image, given).words
    assert {word.line for word in words} == set(lines)
    assert matched([word.box for word in words], [word.box for word in page.words]) >= 0.9


@pytest.mark.parametrize("shape", [(400, 300), (9, 9)], ids=["blank page", "tiny"])
def test_a_page_without_ink_has_no_words(shape):
    assert segment(np.full((*shape, 3), 255, np.uint8)).words == ()


def test_dust_alone_is_no_word():
    page = np.full((600, 500, 3), 255, np.uint8)
    page[np.random.default_rng(0).integers(0, 500, 30), np.random.default_rng(1).integers(0, 500, 30)] = 0
    assert len(segment(page).words) <= 1


def test_boxes_lie_on_the_page():
    page = draw_page([Passage(Scribe(6), ENGLISH_NOTE)], seed=3, layout=Layout(slope_deg=9))
    height, width = page.image.shape[:2]
    for word in segment(page.image).words:
        assert isinstance(word.box, Box)
        assert word.box.x >= 0 and word.box.x + word.box.width <= width
        assert word.box.y >= 0 and word.box.y + word.box.height <= height


@pytest.mark.parametrize("side", ["left", "top", "bottom"])
def test_scanner_black_along_an_edge_is_no_writing(side):
    page = draw_page([Passage(Scribe(4), ENGLISH_NOTE)], seed=4)
    black = page.image.copy()
    depth = np.abs(np.random.default_rng(1).normal(9, 3, max(black.shape[:2]))).astype(int) + 2
    for at, reach in enumerate(depth):
        if side == "left" and at < black.shape[0]:
            black[at, :reach] = 15
        if side == "top" and at < black.shape[1]:
            black[:reach, at] = 15
        if side == "bottom" and at < black.shape[1]:
            black[-reach:, at] = 15
    found, plain = ([word.box for word in segment(image).words] for image in (black, page.image))
    assert len(found) == len(plain)
    assert matched(found, plain) == 1.0


def test_white_amid_which_writing_stands_does_not_make_it_too_small_to_read():
    page = draw_page([Passage(Scribe(4), ENGLISH_NOTE)], seed=4)
    height, width = page.image.shape[:2]
    wide = cv2.copyMakeBorder(page.image, height, height, width, width, cv2.BORDER_REPLICATE)
    found = [Box(x - width, y - height, w, h) for x, y, w, h in (word.box for word in segment(wide).words)]
    assert matched(found, [word.box for word in page.words]) > 0.95


@pytest.mark.parametrize("dpi", [200, 300, 400, 600])
@pytest.mark.parametrize("height_mm", [279, 297], ids=["letter", "A4"])
def test_a_sheet_of_any_resolution_is_looked_at_as_at_150_dpi(dpi, height_mm):
    sheet = np.full((round(height_mm / 25.4 * dpi), 10, 3), 255, np.uint8)
    assert working_factor(sheet) == pytest.approx(dpi / 150)


def test_white_about_a_given_word_changes_neither_its_ink_nor_where_it_lies():
    page = draw_page([Passage(Scribe(0), ENGLISH_NOTE)], seed=3)
    box = page.words[4].box
    tight, roomy = (
        segment(page.image, [ExternalWord(given, 0)]).words[0]
        for given in (box, Box(box.x - 2, box.y - 1, box.width + 3, box.height + 3))
    )
    assert np.array_equal(tight.ink, roomy.ink)


def test_a_given_word_has_the_same_ink_on_a_finer_scan():
    page = draw_page([Passage(Scribe(0), ENGLISH_NOTE)], seed=3)
    below = 1650 - page.image.shape[0]
    letter = cv2.copyMakeBorder(page.image, 0, below, 0, 0, cv2.BORDER_REPLICATE)
    fine = cv2.resize(letter, None, fx=2, fy=2, interpolation=cv2.INTER_NEAREST)
    boxes = [word.box for word in page.words]
    usual = segment(letter, [ExternalWord(box, 0) for box in boxes]).words
    found = segment(fine, [ExternalWord(Box(*(2 * value for value in box)), 0) for box in boxes]).words
    assert all(np.array_equal(a.ink, b.ink) for a, b in zip(usual, found, strict=True))
