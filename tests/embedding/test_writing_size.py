"""The size of writing is measured in millimetres where the resolution of a scan is known, and only there."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes.flow import Passage
from handshift.corpus.scribes.page import draw_page
from handshift.corpus.scribes.scribe import Scribe
from handshift.embedding.crops.writing_size import LETTER_HEIGHT, with_sizes, word_sizes
from handshift.page.segment import segment
from handshift.page.word import Box, Word

TEXT = "Our London business is good but Vienna and Berlin are quiet and I hope for good news"


def sizes_at(dpi: float) -> np.ndarray:
    page = draw_page([Passage(Scribe(3), TEXT)], seed=1, dpi=dpi)
    return word_sizes(segment(page.image).words, dpi)


def test_a_page_has_one_size_at_every_resolution():
    found = [sizes_at(dpi).mean() for dpi in (120, 150, 200, 300)]
    assert max(found) - min(found) < 0.06  # ln mm; writers differ by 0.25
    assert 1 < LETTER_HEIGHT * np.exp(found[0]) < 6


@pytest.mark.parametrize("dpi", [None, 72, 96])
def test_a_resolution_that_nobody_measured_gives_no_size(dpi):
    words = [Word(Box(0, 0, 60, 30), 0, np.full((30, 60), 255, np.uint8))]
    assert np.isnan(word_sizes(words, dpi)).all()
    assert word_sizes([], 150).shape == (0,)


def test_ink_that_was_shrunk_is_measured_in_pixels_of_the_page():
    rng = np.random.default_rng(0)
    ink = (cv2.GaussianBlur(rng.random((80, 200)), (0, 0), 3) > 0.5).astype(np.uint8) * 255
    word = Word(Box(0, 0, 200, 80), 0, ink)
    small = replace(word, ink=cv2.resize(ink, (100, 40), interpolation=cv2.INTER_AREA))
    assert word_sizes([small], 300) == pytest.approx(word_sizes([word], 300), abs=0.05)
    assert word_sizes([word], 150) == pytest.approx(word_sizes([word], 300) + np.log(2))


def test_two_lines_found_as_one_word_do_not_make_the_writing_larger():
    bar = np.zeros((120, 90), np.uint8)
    bar[50:62] = 255
    tall = np.full((120, 90), 255, np.uint8)
    words = [Word(Box(0, 0, 90, 120), 0, bar)] * 4 + [Word(Box(0, 0, 90, 120), 0, tall)]
    sizes = word_sizes(words, 150)
    assert sizes[-1] == sizes[0]


def test_rows_of_a_comparison_have_the_size_beside_the_vector():
    rows = with_sizes(np.ones((2, 3), np.float32), np.array([0.5, np.nan]))
    assert rows.shape == (2, 4) and rows.dtype == np.float32
    assert rows[0, 3] == 0.5 and np.isnan(rows[1, 3])
