"""Strokes and fonts are drawn anew each time, with any pen."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from drawn_databases import draw_fonts, draw_strokes_file

from handshift.core.errors import CorpusError
from handshift.corpus.rendering.fonts import draw_font_page
from handshift.corpus.rendering.glyphs import EM, Hand, varied
from handshift.corpus.rendering.pens import KINDS, random_pen
from handshift.corpus.rendering.strokes import draw_strokes, jittered, read_strokes, smooth
from handshift.corpus.scribes.pen import Pen
from handshift.page.components import stroke_width
from handshift.page.ink import ink_map


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drawn")
    draw_strokes_file(folder)
    draw_fonts(folder)
    return folder


@pytest.fixture(scope="module")
def strokes(root: Path) -> list[np.ndarray]:
    return read_strokes(root / "iam_ondb_strokes" / "w1.npz", 1)


def test_the_strokes_of_one_text_are_read(strokes: list[np.ndarray]) -> None:
    assert [stroke.shape for stroke in strokes] == [(60, 2)] * 3
    assert strokes[1][0].tolist() == [900, 400]


def test_a_file_that_holds_no_strokes_is_named(root: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    with pytest.raises(CorpusError, match=r"other.npz: not a file of strokes"):
        read_strokes(tmp_path / "other.npz", 0)
    with pytest.raises(CorpusError, match="holds 2 texts, and number 2 was asked for"):
        read_strokes(root / "iam_ondb_strokes" / "w1.npz", 2)


def test_a_smoothed_stroke_passes_through_its_points_and_a_dot_stays_a_dot() -> None:
    path = smooth(np.array([[0.0, 0.0], [3.0, 1.0], [4.0, 4.0]]))
    assert min(np.linalg.norm(path - [3.0, 1.0], axis=1)) < 0.1
    assert np.ptp(smooth(np.array([[2.0, 2.0], [2.0, 2.0]])), axis=0).max() < 0.1


def test_jitter_moves_a_stroke_by_less_than_a_letter(strokes: list[np.ndarray]) -> None:
    path = smooth(strokes[0] / 40)
    moved = jittered(path, rng())
    distance = np.linalg.norm(moved - path, axis=1)
    assert 0.02 < distance.mean() < 0.6
    assert not np.allclose(jittered(path, rng(1)), moved)


def test_the_same_text_is_never_drawn_twice_alike(strokes: list[np.ndarray]) -> None:
    pen = Pen()
    one, other = (draw_strokes(strokes, rng(seed), pen) for seed in (1, 2))
    assert one.shape != other.shape or (one != other).mean() > 0.1
    assert (draw_strokes(strokes, rng(1), pen) == one).all()


def test_a_thick_pen_leaves_thick_strokes(strokes: list[np.ndarray]) -> None:
    thin, thick = (draw_strokes(strokes, rng(3), Pen(width_mm=width)) for width in (0.3, 1.0))
    widths = [stroke_width((ink_map(image) > 95).astype(np.uint8)) for image in (thin, thick)]
    assert widths[1] > 1.8 * widths[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_pen_lies_within_the_ranges_of_its_kind(kind: str) -> None:
    pen = random_pen(rng(4), kind)
    low, high = KINDS[kind].width_mm
    assert low <= pen.width_mm <= high
    assert pen.ink in KINDS[kind].inks


def test_a_glyph_is_never_drawn_twice_alike(root: Path) -> None:
    mask = Hand(root / "fonts_korean/nanum/Hand.ttf").glyph("a")
    one, other = (varied(mask, 14, rng(seed)) > 127 for seed in (1, 2))
    overlap = (one & other).sum() / (one | other).sum()
    assert 0.1 < overlap < 0.85


@pytest.mark.parametrize("wanted", [10, 16])
def test_bold_and_thin_fonts_come_out_with_the_width_of_the_pen(root: Path, wanted: int) -> None:
    mask = Hand(root / "fonts_korean/nanum/Hand.ttf").glyph("n")
    masks = [mask, cv2.dilate(mask, np.ones((9, 9), np.uint8)), cv2.erode(mask, np.ones((5, 5), np.uint8))]
    widths = [
        np.mean([stroke_width((varied(m, wanted, rng(seed)) > 127).astype(np.uint8)) for seed in range(4)])
        for m in masks
    ]
    assert max(widths) < 1.35 * min(widths)
    assert np.mean(widths) == pytest.approx(wanted, rel=0.25)


def test_a_page_of_a_font_holds_lines_of_words(root: Path) -> None:
    font = root / "fonts_korean/nanum/Hand.ttf"
    page = draw_font_page(font, ["quilt", "stove"], rng(5), Pen(width_mm=0.4))
    assert page.shape[0] > 10 * EM // 4
    inked = (ink_map(page) > 95).any(axis=1)
    lines = np.count_nonzero(np.diff(inked.astype(int)) == 1)
    assert 8 <= lines <= 12
    with pytest.raises(CorpusError, match="cannot be opened"):
        draw_font_page(root / "fonts_korean" / "words.txt", ["a"], rng())
