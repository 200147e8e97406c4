"""Words lean further to one side for the fit of the script test, and are otherwise the same."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.page.word import Box, Word
from handshift.pipeline.fit_scope import SLANTS, slanted


def upright() -> Word:
    ink = np.zeros((40, 9), np.uint8)
    ink[:, 3:6] = 255
    return Word(Box(5, 5, 9, 40), 0, ink)


@pytest.mark.parametrize("tangent", [0.25, -0.25])
def test_an_upright_stroke_leans_by_the_tangent(tangent):
    (leaning,) = slanted([upright()], tangent)
    top, bottom = (np.flatnonzero(row > 128).mean() for row in (leaning.ink[0], leaning.ink[-1]))
    assert (top - bottom) / 39 == pytest.approx(tangent, abs=0.03)
    assert leaning.box == upright().box


def test_the_first_view_is_the_page_as_it_is():
    words = [upright()]
    assert SLANTS[0] == 0.0 and slanted(words, SLANTS[0]) is words
