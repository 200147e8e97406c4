"""A small network says which words are crossed out and which way up a page is."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.corpus.strike_outs import HARMLESS, WAYS, draw_stroke, with_harmless_strokes, with_strike_outs
from handshift.page.find_view import segment_view
from handshift.page.segment import segment
from handshift.page.word_kind import WordKind
from handshift.page.word_marks import HEIGHT, WIDTH, word_marks, word_picture


@pytest.fixture(scope="module")
def page():
    return draw_page([Passage(Scribe(5), ENGLISH)], seed=5)


def test_a_word_stands_in_the_middle_of_its_picture_at_one_size():
    ink = np.zeros((40, 100), np.uint8)
    ink[10:30, 5:95] = 255
    picture = word_picture(ink, 16.0)
    assert picture is not None and picture.shape == (HEIGHT, WIDTH)
    rows, columns = np.nonzero(picture > 100)
    assert np.ptp(columns) + 1 == pytest.approx(45, abs=2) and np.ptp(rows) + 1 == pytest.approx(10, abs=2)
    assert rows.mean() == pytest.approx(HEIGHT / 2, abs=1.5)
    assert columns.mean() == pytest.approx(WIDTH / 2, abs=1.5)


def test_a_word_too_wide_is_cut_and_one_too_small_is_not_tested():
    wide = word_picture(np.full((60, 900), 255, np.uint8), 8.0)
    assert wide is not None and wide.shape == (HEIGHT, WIDTH)
    assert word_picture(np.full((10, 8), 255, np.uint8), 10.0) is None
    assert word_picture(np.zeros((30, 60), np.uint8), 10.0) is None
    assert word_marks([], 10.0).struck_out.size == 0


def test_a_third_of_words_crossed_out_in_all_ways_are_found_and_hardly_any_other(page):
    draw = np.random.default_rng(1)
    image, crossed = with_strike_outs(page.image, [word.box for word in page.words], 0.2, draw)
    assert len(crossed) >= 8
    marks = segment(image).words
    struck = [mark.box for mark in marks if mark.kind is WordKind.STRUCK_OUT]
    hit = sum(any(_covers(one, box) for one in struck) for box in crossed)
    assert hit >= len(crossed) / 3
    assert sum(not any(_covers(box, one) or _covers(one, box) for box in crossed) for one in struck) <= 2


def test_strokes_under_and_above_words_cross_nothing_out(page):
    draw = np.random.default_rng(2)
    image = with_harmless_strokes(page.image, [word.box for word in page.words], 0.3, draw)
    assert (image != page.image).any()
    assert sum(mark.kind is WordKind.STRUCK_OUT for mark in segment(image).words) <= 4


@pytest.mark.parametrize("way", [*dict.fromkeys(WAYS), *HARMLESS])
def test_every_stroke_stays_near_its_word(way, page):
    word = page.words[4].box
    for seed in range(5):
        draw = np.random.default_rng(seed)
        for stroke in way(word, draw):
            assert stroke.shape[1] == 2 and len(stroke) >= 2
            assert (stroke[:, 0] > word.x - 30).all() and (stroke[:, 0] < word.x + word.width + 30).all()
            assert (stroke[:, 1] > word.y - word.height).all()
            assert (stroke[:, 1] < word.y + 2 * word.height).all()
            changed = page.image.copy()
            draw_stroke(changed, word, stroke, draw)
            assert (changed <= page.image).mean() > 0.999


@pytest.mark.parametrize("scribe", [1, 7, 11])
def test_a_page_upside_down_is_turned_and_an_upright_one_is_not(scribe):
    image = draw_page([Passage(Scribe(scribe), ENGLISH)], seed=scribe).image
    assert segment_view(image)[0].turned == 0
    assert segment_view(np.ascontiguousarray(image[::-1, ::-1]))[0].turned == 180


def _covers(one, box) -> bool:
    across = min(one.x + one.width, box.x + box.width) - max(one.x, box.x)
    down = min(one.y + one.height, box.y + box.height) - max(one.y, box.y)
    return max(0, across) * max(0, down) >= 0.4 * box.width * box.height
