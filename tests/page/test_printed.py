"""Printed pages are told from written ones."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.page.print_detection import PRINTED, share_of_twins
from handshift.page.segment import segment


def printed(blur: float) -> np.ndarray:
    page = np.full((900, 1300), 255, np.uint8)
    for row, line in enumerate(("The quick brown fox jumps over", "the lazy dog and then it sleeps") * 4):
        cv2.putText(page, line, (60, 90 + 95 * row), cv2.FONT_HERSHEY_SIMPLEX, 1.6, 0, 3, cv2.LINE_AA)
    if blur:
        page = cv2.GaussianBlur(page, (0, 0), blur)
    return np.repeat(page[:, :, None], 3, axis=2)


@pytest.mark.parametrize("blur", [0.0, 1.5])
def test_type_looks_printed(blur):
    found = segment(printed(blur))
    assert share_of_twins(found.words, found.letter_size) > PRINTED


@pytest.mark.parametrize("scribe", [3, 9])
def test_scribes_do_not_even_when_they_write_the_same_words_again(scribe):
    text = " ".join(ENGLISH.split()[:20])
    found = segment(draw_page([Passage(Scribe(scribe), f"{text} {text}")], seed=2).image)
    assert share_of_twins(found.words, found.letter_size) < PRINTED


def test_few_letters_prove_nothing():
    assert share_of_twins((), 20.0) == 0.0
