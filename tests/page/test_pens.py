"""Two pens on a page are noticed, by stroke width and by colour; one pen is not."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.corpus.scribes import Scribe
from handshift.corpus.scribes.flow import Passage
from handshift.corpus.scribes.page import draw_page
from handshift.corpus.scribes.pen import Pen
from handshift.page.pens import PenChange, pen_change, pen_traces
from handshift.page.segment import segment

TEXT = "the quilt on the bed at once and the nights are cold now in the back room of the house by the sea"
USUAL = Pen(ink="black", width_mm=0.4)


def page(*pens: Pen) -> np.ndarray:
    """The same text once for each pen, one below the other."""
    drawn = [draw_page([Passage(Scribe(3), TEXT)], seed=seed, pen=pen).image for seed, pen in enumerate(pens)]
    return np.concatenate([image[: image.shape[0] // 3] for image in drawn])


def test_one_pen_is_not_taken_for_two() -> None:
    image = page(USUAL, USUAL)
    assert pen_change(image, segment(image).words) is None


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (Pen(ink="black", width_mm=0.9), "times as"),
        (Pen(ink="blue", width_mm=0.4), "ink of another colour"),
    ],
)
def test_a_second_pen_is_noticed_where_it_begins(other: Pen, said: str) -> None:
    image = page(USUAL, other)
    words = segment(image).words
    change = pen_change(image, words)
    assert change is not None
    assert said in change.sentence()
    below = [number for number, word in enumerate(words) if word.box.y > image.shape[0] / 2]
    own = set(range(change.first, change.last + 1))
    assert len(own & set(below)) > 0.8 * len(own) or len(own - set(below)) > 0.8 * len(own)


def test_the_trace_of_a_word_is_its_stroke_width_and_colour() -> None:
    images = [page(Pen(ink=ink, width_mm=width)) for ink, width in (("black", 0.4), ("blue", 0.8))]
    one, two = (np.median(pen_traces(image, segment(image).words), axis=0) for image in images)
    assert two[0] > one[0] + 0.3
    assert two[3] < one[3] - 10  # blue has a negative b


def test_a_few_words_are_too_few_to_tell() -> None:
    image = page(USUAL)
    assert pen_change(image, segment(image).words[:8]) is None


def test_the_sentence_names_what_changed_and_that_a_pen_is_not_a_hand() -> None:
    text = PenChange(4, 11, 0.5, 20.0).sentence()
    assert "words 5 to 12 have strokes 2.0 times as thin and ink of another colour" in text
    assert text.endswith("another pen is not another hand")
