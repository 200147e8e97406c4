"""Print, strike-outs and stamps are told from writing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, ScribedPage, draw_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.page.segment import segment
from handshift.page.word_kind import WordKind


@pytest.fixture(scope="module")
def page() -> ScribedPage:
    return draw_page([Passage(Scribe(5), " ".join(ENGLISH.split()[:50]))], seed=5)


def kinds_at(image, boxes):
    found = segment(image).words
    centres = [(box.x + box.width / 2, box.y + box.height / 2) for box in boxes]
    return [
        word.kind
        for x, y in centres
        for word in found
        if word.box.x <= x <= word.box.x + word.box.width and word.box.y <= y <= word.box.y + word.box.height
    ]


def test_words_crossed_out_are_told_from_the_others(page):
    image = page.image.copy()
    long = sorted(page.words, key=lambda word: -word.box.width)[:3]
    for word in long:
        x, y, width, height = word.box
        middle = y + height // 2
        cv2.line(image, (x - 4, middle + 2), (x + width + 4, middle - 2), (30, 30, 40), 3, cv2.LINE_AA)
    kinds = kinds_at(image, [word.box for word in long])
    assert kinds.count(WordKind.STRUCK_OUT) >= 2
    plain = [word.kind for word in segment(page.image).words]
    assert plain.count(WordKind.STRUCK_OUT) <= 1


def test_lines_of_print_below_the_writing_are_print(page):
    image = cv2.copyMakeBorder(page.image, 0, 260, 0, 0, cv2.BORDER_REPLICATE)
    top = page.image.shape[0]
    for row, text in enumerate(
        ("Please return this sheet to the office", "the office returns these sheets soon")
    ):
        at = (80, top + 60 + 60 * row)
        cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 1.0, (20, 20, 20), 2, cv2.LINE_AA)
    words = segment(image).words
    below = [word.kind for word in words if word.box.y > top]
    above = [word.kind for word in words if word.box.y < top - 20]
    assert below.count(WordKind.PRINT) >= 0.8 * len(below)
    assert WordKind.PRINT not in above


def test_a_ring_with_its_text_is_a_stamp(page):
    image = cv2.copyMakeBorder(page.image, 0, 320, 0, 0, cv2.BORDER_REPLICATE)
    centre = (300, page.image.shape[0] + 140)
    cv2.circle(image, centre, 110, (150, 40, 60), 5, cv2.LINE_AA)
    cv2.putText(
        image, "PAID", (centre[0] - 55, centre[1] + 12), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (150, 40, 60), 3
    )
    stamps = [word for word in segment(image).words if word.kind is WordKind.STAMP]
    assert stamps
    assert all(word.box.y > page.image.shape[0] for word in stamps)


def test_only_writing_has_a_hand():
    from handshift.demo import TWO_HANDS
    from handshift.page.edit_words import mark_words
    from handshift.page.scan import read_scans
    from handshift.pipeline.examiner import Examiner
    from handshift.pipeline.read_pages import segment_scan

    found = segment_scan(next(iter(read_scans(TWO_HANDS))))
    marked = mark_words(found, [found.words[10].box], WordKind.STAMP)
    verdict = Examiner().examine_page(marked)
    assert verdict.words[10].hand == ""
    assert 10 not in verdict.compared
    assert np.isfinite(verdict.log10_lr)


def below(page: ScribedPage, height: int = 320) -> tuple[np.ndarray, int]:
    """The page with more paper below it, and where that begins."""
    return cv2.copyMakeBorder(page.image, 0, height, 0, 0, cv2.BORDER_REPLICATE), page.image.shape[0]


def test_the_pieces_of_a_patchy_frame_in_colour_are_one_stamp(page):
    image, top = below(page, 400)
    red = (170, 40, 50)
    sides = ((120, 40, 380, 40), (120, 40, 120, 150), (400, 80, 400, 290), (160, 290, 400, 290))
    for left, high, right, low in sides:
        cv2.line(image, (left, top + high), (right, top + low), red, 3, cv2.LINE_AA)
    for row, text in enumerate(("REGISTRY", "14 MAR 96")):
        at = (160, top + 140 + 60 * row)
        cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 1.0, red, 3, cv2.LINE_AA)
    lower = [word.kind for word in segment(image).words if word.box.y > top]
    assert WordKind.STAMP in lower
    assert WordKind.WRITING not in lower


def test_the_end_of_a_flourish_belongs_to_the_signature(page):
    image, top = below(page)
    name = sorted(page.words, key=lambda word: -word.box.width)[0].box
    crop = page.image[name.y : name.y + name.height, name.x : name.x + name.width]
    large = cv2.resize(crop, None, fx=2.0, fy=2.0, interpolation=cv2.INTER_CUBIC)
    y, x = top + 110, 400
    image[y : y + large.shape[0], x : x + large.shape[1]] = large
    right, low = x + large.shape[1], y + large.shape[0]
    cv2.ellipse(image, (right + 40, low), (40, 14), 0, 0, 300, (40, 40, 40), 3, cv2.LINE_AA)
    lower = [word for word in segment(image).words if word.box.y > top]
    assert WordKind.SIGNATURE in {word.kind for word in lower}
    assert not [word for word in lower if word.kind is WordKind.WRITING and word.box.x >= x - 10]


def test_a_disc_full_of_ink_is_a_seal_and_its_emblem_no_words(page):
    image, top = below(page, 400)
    for number, radius in enumerate(range(8, 100, 10)):  # broken rings, close together
        start = 47 * number
        cv2.ellipse(image, (295, top + 155), (radius, radius), start, 0, 310, (40, 40, 40), 4, cv2.LINE_AA)
    lower = [word.kind for word in segment(image).words if word.box.y > top]
    assert lower.count(WordKind.STAMP) >= 0.8 * len(lower) > 0  # a bit of the rim may stand out
