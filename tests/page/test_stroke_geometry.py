"""The geometry of strokes describes a script, not the size or the darkness of a scan."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from handshift.corpus.scribes import Passage, Scribe, draw_page
from handshift.corpus.scribes.texts import ENGLISH_NOTE
from handshift.page.segment import segment
from handshift.page.stroke_geometry import NAMES, stroke_geometry


@pytest.fixture(scope="module")
def image() -> np.ndarray:
    return draw_page([Passage(Scribe(5), ENGLISH_NOTE)], seed=5).image


def geometry_of(image: np.ndarray) -> np.ndarray:
    found = segment(np.ascontiguousarray(image))
    measured = stroke_geometry(found.words, found.letter_size)
    assert measured is not None
    return measured


def test_every_measure_has_a_name_and_is_finite(image):
    measured = geometry_of(image)
    assert measured.shape == (len(NAMES),)
    assert np.isfinite(measured).all()
    assert measured[:8].sum() == pytest.approx(1.0)


def test_a_larger_scan_has_the_same_geometry(image):
    larger = cv2.resize(image, None, fx=1.3, fy=1.3, interpolation=cv2.INTER_CUBIC)
    assert geometry_of(larger) == pytest.approx(geometry_of(image), abs=0.35)


def test_mirrored_writing_leans_the_other_way(image):
    rising, falling = NAMES.index("strokes at 45°"), NAMES.index("strokes at 135°")
    straight, mirrored = geometry_of(image), geometry_of(image[:, ::-1])
    lean = straight[rising] - straight[falling]
    assert abs(lean) > 0.02
    assert np.sign(mirrored[rising] - mirrored[falling]) == -np.sign(lean)


def test_a_page_without_words_has_none():
    assert stroke_geometry((), 17.0) is None
