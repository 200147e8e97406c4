import numpy as np
import pytest

from handshift.page.word import Box
from handshift.page.word_overlay import contact_sheet, draw_words, hand_colour

PAPER = np.full((120, 300, 3), 255, np.uint8)
BOXES = [Box(30, 30, 60, 30), Box(120, 30, 60, 30), Box(30, 80, 60, 30)]


def test_the_page_itself_is_left_alone() -> None:
    paper = PAPER.copy()
    draw_words(paper, BOXES, ["A", "B", "A"], [0.1, 0.9, 0.2], lines=[0, 0, 1])
    assert np.array_equal(paper, PAPER)


def test_hands_wear_their_colours_and_the_stronger_is_darker() -> None:
    weak = draw_words(PAPER, BOXES, ["A", "B", "C"], [0.0, 0.2, 0.2])
    strong = draw_words(PAPER, BOXES, ["A", "B", "C"], [0.0, 0.9, 0.9])
    assert weak[45, 60].tolist() == [255, 255, 255]
    assert strong[50, 150].sum() < weak[50, 150].sum() < 765
    assert weak[59, 150].tolist() == list(hand_colour("B"))
    assert strong[50, 150].argmax() == 0
    assert strong[100, 60].argmax() == 2


def test_line_numbers_are_drawn_when_asked_for() -> None:
    plain = draw_words(PAPER, BOXES, ["A"] * 3)
    numbered = draw_words(PAPER, BOXES, ["A"] * 3, lines=[0, 0, 1])
    assert np.array_equal(plain[:, 120:], numbered[:, 120:])
    assert not np.array_equal(plain[:, :30], numbered[:, :30])


def test_neighbouring_hands_never_share_a_colour() -> None:
    hands = ["A", "B", "C", "D", "E", "F", "G"]
    assert len({hand_colour(hand) for hand in hands}) == len(hands)
    assert hand_colour("AA") != hand_colour("A")


def test_boxes_over_the_edge_are_drawn_as_far_as_they_go() -> None:
    drawn = draw_words(PAPER, [Box(-10, -10, 40, 40), Box(290, 110, 50, 50)], ["B", "B"], [1.0, 1.0])
    assert drawn.shape == PAPER.shape
    assert drawn[15, 15].tolist() != [255, 255, 255]


def test_a_contact_sheet_holds_every_image() -> None:
    sheet = contact_sheet(
        [np.zeros((50, 100, 3), np.uint8), np.zeros((200, 100, 3), np.uint8), PAPER], 2, width=100
    )
    assert sheet.shape == (8 + 200 + 8 + 40 + 8, 8 + 108 * 2, 3)
    assert (sheet == 0).all(axis=2).sum() == 100 * 250
    with pytest.raises(ValueError, match="at least one image"):
        contact_sheet([], 3)
