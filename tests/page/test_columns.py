"""Margins, openings and insertions are lines of their own; print does not set the size of the writing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE
from handshift.page.columns import ONE_COLUMN, Columns, find_columns
from handshift.page.segment import segment
from handshift.page.word_kind import WordKind

NOTE = "a note by the clerk on this entry of March"


@pytest.fixture(scope="module")
def page() -> np.ndarray:
    return draw_page([Passage(Scribe(5), ENGLISH_NOTE)], seed=5).image


def ink_of(image: np.ndarray) -> np.ndarray:
    """The writing alone, cut out of its sheet."""
    boxes = [word.box for word in segment(image).words]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes)
    return image[top:bottom, left:right]


def lines_of(words) -> list[set[int]]:
    """Numbers of the words of each line, in order."""
    return [
        {at for at, word in enumerate(words) if word.line == line} for line in sorted({w.line for w in words})
    ]


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_note_in_the_margin_follows_the_text_in_lines_of_its_own(page, side):
    note = ink_of(draw_page([Passage(Scribe(9), "sold in May to the smith")], seed=2).image)
    text = ink_of(page)
    words = NOTE.split()
    rows = [
        ink_of(draw_page([Passage(Scribe(9), " ".join(words[at : at + 2]))], seed=at).image)
        for at in range(0, 6, 2)
    ]
    assert note.size
    margin = max(row.shape[1] for row in rows) + 120
    sheet = np.full((text.shape[0] + 200, text.shape[1] + margin + 160, 3), 250, np.uint8)
    x = margin if side == "left" else 60
    sheet[100 : 100 + text.shape[0], x : x + text.shape[1]] = text
    beside = 40 if side == "left" else text.shape[1] + 140
    top = 130
    for row in rows:
        sheet[top : top + row.shape[0], beside : beside + row.shape[1]] = row
        top += row.shape[0] + 18
    found = segment(sheet).words
    noted = {at for at, word in enumerate(found) if (word.box.x < margin - 20) == (side == "left")}
    if side == "right":
        noted = {at for at, word in enumerate(found) if word.box.x > text.shape[1] + 100}
    assert 5 <= len(noted) <= 8
    assert not any(line & noted and line - noted for line in lines_of(found))
    assert min(noted) > max(set(range(len(found))) - noted)


def test_the_left_page_of_an_opening_is_read_before_the_right(page):
    other = draw_page([Passage(Scribe(2), ENGLISH_NOTE)], seed=8).image
    height = min(page.shape[0], other.shape[0], int(0.75 * page.shape[1]) * 2)
    both = np.hstack([page[:height], other[:height]])
    if both.shape[1] < 1.25 * both.shape[0]:
        both = both[: int(both.shape[1] / 1.3)]
    fold = page.shape[1]
    dark = 1 - 0.35 * np.exp(-np.square((np.arange(both.shape[1]) - fold) / 14.0))
    marks = segment((both * dark[None, :, None]).astype(np.uint8)).words
    # A few even strokes of scribes pass for words crossed out.
    found = [mark for mark in marks if mark.kind in (WordKind.WRITING, WordKind.STRUCK_OUT)]
    assert len(marks) <= len(found) + 1, "the fold itself may be a mark"
    sides = [word.box.x > fold for word in found]
    assert True in sides and False in sides
    assert sides == sorted(sides)
    assert all(
        len({word.box.x > fold for word in found if word.line == n}) == 1 for n in {w.line for w in found}
    )


def test_columns_without_a_gutter_are_rows_of_a_list():
    mask = np.zeros((400, 900), np.uint8)
    for y in range(20, 380, 40):
        mask[y : y + 14, 30:330] = 1
        mask[y : y + 14, 560:860] = 1
    plain = np.full((400, 900, 3), 250, np.uint8)
    assert find_columns(mask, plain, 40.0) == ONE_COLUMN
    plain[:, 445:455] = 190
    assert len(find_columns(mask, plain, 40.0).cuts) == 1


def test_words_squeezed_in_above_a_line_are_a_line_of_their_own(page):
    drawn = draw_page([Passage(Scribe(5), ENGLISH_NOTE)], seed=5)
    small = ink_of(draw_page([Passage(Scribe(9), "and nobody else")], seed=3).image)
    boxes = [word.box for word in drawn.words if word.line == 2]
    above = [word.box for word in drawn.words if word.line == 1]
    middle = np.median([box.y + box.height / 2 for box in boxes]) + np.median(
        [box.y + box.height / 2 for box in above]
    )
    room = 0.32 * (np.median([box.y for box in boxes]) - np.median([box.y for box in above]))
    scale = room / small.shape[0]
    small = cv2.resize(small, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    image = drawn.image.copy()
    y, x = int(middle / 2 - small.shape[0] / 2), boxes[1].x
    # Nothing of the page is in the way: ascenders and descenders would touch the insertion.
    image[y - 2 : y + small.shape[0] + 2, x - 4 : x + small.shape[1] + 4] = 250
    image[y : y + small.shape[0], x : x + small.shape[1]] = small
    found = segment(image).words
    inside = {
        at
        for at, word in enumerate(found)
        if x - 6 <= word.box.x
        and word.box.x + word.box.width <= x + small.shape[1] + 6
        and y - 6 <= word.box.y
        and word.box.y + word.box.height <= y + small.shape[0] + 6
    }
    assert len(inside) >= 2
    assert not any(line & inside and line - inside for line in lines_of(found))


def test_small_dark_print_does_not_set_the_size_of_faint_writing(page):
    faint = (255 - (255 - page.astype(np.float32)) * 0.35).astype(np.uint8)
    form = cv2.copyMakeBorder(faint, 260, 0, 0, 0, cv2.BORDER_REPLICATE)
    for row in range(8):
        text = "please fill in this form and return it to the office with the other forms"
        cv2.putText(
            form, text, (60, 30 + 26 * row), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (10, 10, 10), 2, cv2.LINE_AA
        )
    found, alone = segment(form), segment(faint)
    written = [word for word in found.words if word.kind is WordKind.WRITING and word.box.y > 260]
    assert found.letter_size == pytest.approx(alone.letter_size, rel=0.08)
    assert abs(len(written) - len(alone.words)) <= 0.1 * len(alone.words)
    printed = [word for word in found.words if word.box.y < 240]
    assert np.mean([word.kind is WordKind.PRINT for word in printed]) > 0.9
    assert [word.line for word in found.words] == sorted(word.line for word in found.words)


def test_the_lines_of_a_note_may_be_closer_than_those_of_its_text(page):
    text = ink_of(page)
    rows = [
        ink_of(draw_page([Passage(Scribe(9), words)], seed=1).image) for words in ("sold in", "May to me")
    ]
    rows = [cv2.resize(row, None, fx=0.45, fy=0.45, interpolation=cv2.INTER_AREA) for row in rows]
    margin = max(row.shape[1] for row in rows) + 200
    sheet = np.full((text.shape[0] + 200, text.shape[1] + margin + 100, 3), 250, np.uint8)
    sheet[100 : 100 + text.shape[0], margin : margin + text.shape[1]] = text
    top = 260
    for row in rows:
        sheet[top : top + row.shape[0], 40 : 40 + row.shape[1]] = row
        top += row.shape[0] + 6
    noted = [word for word in segment(sheet).words if word.box.x < margin - 60]
    assert len({word.line for word in noted}) == 2
    assert max(word.box.height for word in noted) <= 1.3 * max(row.shape[0] for row in rows)


def test_an_insertion_that_touches_the_line_is_cut_loose(page):
    drawn = draw_page([Passage(Scribe(5), ENGLISH_NOTE)], seed=5)
    boxes = [word.box for word in drawn.words if word.line == 2]
    above = [word.box for word in drawn.words if word.line == 1]
    room = np.median([box.y for box in boxes]) - np.median([box.y for box in above])
    small = ink_of(draw_page([Passage(Scribe(9), "and nobody else")], seed=3).image)
    scale = 0.3 * room / small.shape[0]
    small = cv2.resize(small, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    image = drawn.image.copy()
    middle = int(np.median([box.y + box.height / 2 for box in boxes]))
    x, y = boxes[1].x, int(middle - 0.62 * room)
    image[y - 2 : y + small.shape[0] + 2, x - 4 : x + small.shape[1] + 4] = 250
    image[y : y + small.shape[0], x : x + small.shape[1]] = small
    # Two of its letters run down into the words of the line.
    for share in (0.3, 0.7):
        column = x + int(share * small.shape[1])
        cv2.line(image, (column, y + small.shape[0] // 2), (column, middle), (40, 40, 40), 2)
    found = segment(image).words
    inside = [
        word
        for word in found
        if x - 6 <= word.box.x and word.box.x + word.box.width <= x + small.shape[1] + 6
    ]
    inside = [
        word
        for word in inside
        if word.box.y + word.box.height / 2 < y + small.shape[0] and word.box.y > y - 6
    ]
    assert len(inside) >= 2
    others = {word.line for word in found if word.box.y + word.box.height / 2 > middle - 0.2 * room}
    assert not {word.line for word in inside} & others


def test_words_pressed_against_the_feet_of_a_line_are_a_line_of_their_own(page):
    drawn = draw_page([Passage(Scribe(5), ENGLISH_NOTE)], seed=5)
    boxes = [word.box for word in drawn.words if word.line == 2]
    below = [word.box for word in drawn.words if word.line == 3]
    spacing = np.median([box.y for box in below]) - np.median([box.y for box in boxes])
    small = ink_of(draw_page([Passage(Scribe(9), "and nobody else was here")], seed=3).image)
    scale = 0.34 * spacing / small.shape[0]
    small = cv2.resize(small, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    image = drawn.image.copy()
    feet = int(np.median([box.y + box.height for box in boxes]))
    x, y = boxes[0].x, feet + 2
    image[y - 2 : y + small.shape[0] + 2, x - 4 : x + small.shape[1] + 4] = 250
    image[y : y + small.shape[0], x : x + small.shape[1]] = small
    found = segment(image).words
    added = [word for word in found if word.added]
    assert len(added) >= 3
    assert all(y - 6 <= word.box.y + word.box.height / 2 <= y + small.shape[0] + 6 for word in added)
    assert not {word.line for word in added} & {word.line for word in found if not word.added}


def test_notes_and_insertions_are_marked_as_added_and_text_is_not(page):
    assert not any(word.added for word in segment(page).words)
    parts = Columns((300, 900), (1, 0, 2), (True, False, True))
    assert [parts.in_note(column) for column in (10, 299, 300, 800, 900)] == [True, True, False, False, True]
