"""Equal words of two sides are laid over each other; words that were not read are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from handshift.attribution.comparison import Comparison
from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.calibration.pair_calibration import PairPropositions
from handshift.page.word import Box, Page, Word
from handshift.report.equal_words import HEIGHT, equal_words, lay_over


def stroke(width: int, height: int, at: int) -> np.ndarray:
    """A word picture with a bar."""
    picture = np.full((height, width, 3), 255, np.uint8)
    picture[4:-4, at : at + 6] = 20
    picture[height // 2 : height // 2 + 4, 4:-4] = 20
    return picture


def side(texts: list[str | None]) -> ComparedSide:
    image = np.full((40 * len(texts), 120, 3), 255, np.uint8)
    words = []
    for number, text in enumerate(texts):
        box = Box(10, 40 * number + 4, 80, 30)
        image[box.y : box.y + box.height, box.x : box.x + box.width] = stroke(80, 30, 30)
        words.append(Word(box, number, np.zeros((30, 80), np.uint8), text))
    page = Page(image, tuple(words), Path("a.png"), "ab" * 32)
    return ComparedSide("a", (ComparedPage(page, np.zeros(len(texts))),), {"A": len(texts)})


def verification(one: list[str | None], two: list[str | None]) -> Verification:
    found = Comparison(0.0, 0.0, (-1.0, 1.0), (3, 3), PairPropositions("one", "two", "us"), "m")
    return Verification(found, (side(one), side(two)))


def test_only_words_read_as_the_same_are_shown_the_longest_first():
    found = equal_words(verification(["London", "and", "is", None], ["and,", "good", "london", "is"]))
    assert [one.text for one in found] == ["london", "and"]
    assert equal_words(verification([None, None], [None, None])) == ()


def test_a_word_laid_over_its_larger_self_covers_it():
    small = stroke(80, 30, 30)
    over = lay_over(small, small.repeat(2, axis=0).repeat(2, axis=1))
    assert over.shape[0] == HEIGHT
    dark = over.min(axis=2) < 120
    both = (over[:, :, 0] < 120) & (over[:, :, 2] < 120)  # blue takes the red away, orange the blue
    assert both.sum() > 0.6 * dark.sum()
