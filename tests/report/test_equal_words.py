"""Equal words and letters of two writers are laid over each other; what was not read is not."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from handshift.attribution.comparison import Comparison
from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.calibration.pair_calibration import PairPropositions
from handshift.page.word import Box, Page, Word
from handshift.report.comparison_view import side_names
from handshift.report.equal_words import equal_words, equal_words_of_hands
from handshift.report.laid_over import HEIGHT, ink_of, lay_over


def stroke(width: int, height: int, at: int) -> np.ndarray:
    """A word picture with a bar."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[4:-4, at : at + 6] = 20
    picture[height // 2 : height // 2 + 4, 4:-4] = 20
    return picture


def printed(texts: list[str | None], thickness: int = 2) -> Page:
    """A page of these words in spaced letters."""
    image = np.full((60 * len(texts), 400, 3), 255, np.uint8)
    words = []
    for number, text in enumerate(texts):
        box = Box(10, 60 * number + 8, 26 * len(text or "xx"), 46)
        for place, letter in enumerate(text or "xx"):
            at = (box.x + 26 * place + 3, box.y + 32)
            cv2.putText(image, letter, at, cv2.FONT_HERSHEY_SIMPLEX, 1, (20, 20, 20), thickness, cv2.LINE_AA)
        words.append(Word(box, number, np.zeros((30, 80), np.uint8), text))
    return Page(image, tuple(words), Path("a.png"), "ab" * 32)


def side(texts: list[str | None], name: str = "a.png") -> ComparedSide:
    page = printed(texts)
    return ComparedSide(name, (ComparedPage(page, np.zeros(len(texts))),), {"A": len(texts)})


def verification(one: ComparedSide, two: ComparedSide) -> Verification:
    found = Comparison(0.0, 0.0, (-1.0, 1.0), (3, 3), PairPropositions("one", "two", "us"), "m")
    return Verification(found, (one, two))


def test_only_words_read_as_the_same_are_shown_the_longest_first():
    found = equal_words(
        verification(side(["London", "and", "is", None]), side(["and,", "good", "london", "is"]))
    )
    assert [one.text for one in found.words] == ["london", "and"]
    assert not equal_words(verification(side([None, None]), side([None, None])))


def test_letters_of_equal_words_are_laid_over_each_other_where_case_agrees():
    found = equal_words(verification(side(["London"]), side(["london,"])))
    letters = {one.text: one for one in found.letters}
    assert {"o", "n", "d"} <= set(letters) <= set("ond")  # the L is another letter than the l
    assert letters["d"].within == "london" and letters["d"].picture.shape[0] == HEIGHT


def test_every_two_hands_are_compared_from_the_first_page_on():
    pages = [(printed(["garden", "and"]), ["A", "A"]), (printed(["garden", "and", None]), ["B", "C", "C"])]
    found = equal_words_of_hands(pages, ["A", "B", "C"], "hand")
    assert [one.names for one in found] == [("hand A", "hand B"), ("hand A", "hand C")]
    assert [word.text for one in found for word in one.words] == ["garden", "and"]


def test_sides_have_short_names_that_tell_them_apart():
    sides = side(["and"], "case/anna/page.png"), side(["and"], "case/bert/page.png")
    assert side_names(verification(*sides)) == ("anna/page.png", "bert/page.png")
    assert side_names(verification(side([None], "x/a.png"), side([None], "y/b.png"))) == ("a.png", "b.png")


def test_a_word_laid_over_its_larger_self_covers_it():
    small = stroke(80, 30, 30)
    over = lay_over(ink_of(small), ink_of(small.repeat(2, axis=0).repeat(2, axis=1)))
    assert over.shape[0] == HEIGHT
    dark = over.min(axis=2) < 120
    both = (over[:, :, 0] < 120) & (over[:, :, 2] < 120)  # blue takes the red away, orange the blue
    assert both.sum() > 0.6 * dark.sum()
