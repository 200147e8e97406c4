from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.demo import ONE_HAND
from handshift.page.edit_words import CorrectionError, delete_word, draw_word, merge_words, split_word
from handshift.page.word import Box, Page
from handshift.pipeline.read_pages import read_pages


@pytest.fixture(scope="module")
def page() -> Page:
    (found,) = read_pages(Path(ONE_HAND))
    assert isinstance(found, Page)
    return found


def test_merged_words_hold_the_ink_of_both(page: Page) -> None:
    one, two = page.words[3:5]
    merged = merge_words(page, [two.box, one.box])
    assert len(merged.words) == len(page.words) - 1
    word = merged.words[3]
    assert word.box.x == one.box.x and word.box.x + word.box.width == two.box.x + two.box.width
    assert int((word.ink > 0).sum()) == int((one.ink > 0).sum() + (two.ink > 0).sum())


def test_a_split_word_loses_no_stroke_and_can_be_merged_again(page: Page) -> None:
    word = max(page.words, key=lambda one: one.box.width)
    divided = split_word(page, word.box, word.box.x + word.box.width // 2)
    assert len(divided.words) == len(page.words) + 1
    place = page.words.index(word)
    left, right = divided.words[place : place + 2]
    strokes = int((word.ink > 95).sum())
    assert int((left.ink > 95).sum() + (right.ink > 95).sum()) == strokes
    again = merge_words(divided, [left.box, right.box])
    assert int((again.words[place].ink > 95).sum()) == strokes


def test_other_words_keep_their_ink_and_order(page: Page) -> None:
    changed = delete_word(page, page.words[7].box)
    kept = [word for place, word in enumerate(page.words) if place != 7]
    assert list(changed.words) == kept
    assert all(one.ink is other.ink for one, other in zip(changed.words, kept, strict=True))


def test_a_drawn_word_stands_on_the_nearest_line(page: Page) -> None:
    word = page.words[20]
    drawn = draw_word(delete_word(page, word.box), word.box)
    assert drawn.words[20].line == word.line
    overlap = np.minimum(drawn.words[20].ink, word.ink).sum() / word.ink.sum()
    assert overlap > 0.9


@pytest.mark.parametrize("box", [Box(0, 0, 5, 5), Box(100_000, 5, 10, 10)])
def test_what_is_no_word_is_refused(page: Page, box: Box) -> None:
    with pytest.raises(CorrectionError):
        delete_word(page, box)
    with pytest.raises(CorrectionError):
        draw_word(page, box)
    with pytest.raises(CorrectionError):
        merge_words(page, [page.words[0].box, page.words[0].box])
