"""A page's words are learnt as another scan would have left them."""

import numpy as np
from numpy.typing import NDArray

from handshift.embedding.train.page_scan import PageScan


def strokes() -> NDArray[np.uint8]:
    picture = np.zeros((64, 96), np.uint8)
    picture[20:44, 30:66:4] = 255
    return picture


def extent(picture: NDArray[np.uint8]) -> int:
    """Rows with ink."""
    return int((picture.max(axis=1) > 127).sum())


def test_a_coarser_scan_blurs_strokes_and_keeps_their_place() -> None:
    seen = PageScan(resolution=0.6)(strokes())
    assert seen.shape == (64, 96)
    assert seen.max() < 255
    rows = np.arange(64)
    middles = [(picture.sum(axis=1) * rows).sum() / picture.sum() for picture in (seen, strokes())]
    assert abs(middles[0] - middles[1]) < 0.5


def test_a_scale_measured_too_large_enlarges_the_word_about_its_middle() -> None:
    heights = [extent(PageScan(scale=scale)(strokes())) for scale in (0.8, 1.0, 1.25)]
    assert heights == sorted(heights)
    assert heights[0] < 21 < 27 < heights[2]


def test_without_either_change_the_scan_stays_and_draws_nothing() -> None:
    rng = np.random.default_rng(3)
    before = rng.bit_generator.state
    scan = PageScan.drawn(rng, 0, 0)
    assert (scan(strokes()) == strokes()).all()
    assert rng.bit_generator.state == before  # a training begun before these fields existed goes on as it was


def test_scans_differ_from_page_to_page() -> None:
    rng = np.random.default_rng(0)
    scans = [PageScan.drawn(rng, 0.5, 1) for _ in range(40)]
    assert 10 < sum(scan.resolution < 1 for scan in scans) < 30
    assert all(0.6 <= scan.resolution <= 1 for scan in scans)
    assert len({scan.scale for scan in scans}) == 40
