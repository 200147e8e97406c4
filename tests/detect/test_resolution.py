"""A page gets the same score at every scan resolution, and whatever surrounds it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from PIL import Image

import handshift
from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.demo import TWO_HANDS

STATED = 1.5
"""Of the score, natural log; docs/detectors.md tells it."""


@pytest.mark.parametrize("number", [2, 9])
def test_the_score_of_a_page_hardly_depends_on_its_resolution(number, tmp_path):
    scores = []
    for dpi in (100, 150, 300):
        path = tmp_path / f"{dpi}.png"
        save_page(draw_page([Passage(Scribe(number), ENGLISH)], seed=number, dpi=dpi), path)
        scores.append(handshift.examine(path).score)
    assert max(scores) - min(scores) < STATED


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_white_about_a_sheet_hides_no_hand(share, tmp_path):
    page = np.array(Image.open(TWO_HANDS).convert("RGB"))
    side = int(share * page.shape[1])
    path = tmp_path / "wide.png"
    Image.fromarray(cv2.copyMakeBorder(page, side, side, side, side, cv2.BORDER_REPLICATE)).save(path)
    alone, within = handshift.examine(TWO_HANDS), handshift.examine(path)
    assert within.score == pytest.approx(alone.score, abs=0.5)
    assert len(within.words) == len(alone.words)
