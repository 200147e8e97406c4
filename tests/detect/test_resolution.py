"""A page is judged alike however finely it was scanned."""

from __future__ import annotations

import pytest

import handshift
from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH

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
