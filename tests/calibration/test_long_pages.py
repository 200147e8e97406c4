"""Long pages are examined in stretches of a calibrated length, and the mean of their ratios is stated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from handshift.calibration.long_pages import mean_ratio, stretches
from handshift.calibration.page_calibration import PageLr
from handshift.calibration.scope import Scope, ScopeReason
from handshift.demo import TWO_HANDS
from handshift.page.scan import read_scans
from handshift.pipeline.examiner import Examiner
from handshift.pipeline.read_pages import segment_scan


@pytest.mark.parametrize("words", [161, 200, 348, 1368, 3000])
def test_every_change_of_hand_lies_well_inside_of_a_stretch(words):
    parts = stretches(words, 80.0)
    assert parts[0].start == 0 and parts[-1].stop == words
    assert {part.stop - part.start for part in parts} == {80}
    for change in range(1, words):
        deep = max(min(change - part.start, part.stop - change) for part in parts)
        assert deep >= min(20, change, words - change)


def test_a_page_of_usual_length_is_one_stretch():
    assert stretches(158, 79.0) == [slice(0, 158)]


def test_the_ratio_of_a_page_is_the_mean_of_its_stretches():
    ratios = [PageLr(one, (-2.0, 4.0), (one - 0.2, one + 0.2)) for one in (-1.0, -1.0, 2.0, -1.0)]
    mean = mean_ratio(ratios)
    assert 10**mean.log10_lr == pytest.approx((100 + 3 * 0.1) / 4)
    assert mean.interval[0] < mean.log10_lr < mean.interval[1]
    assert mean.bounds == pytest.approx((-2.0, 4.0))


def test_a_shrunk_ratio_has_the_interval_from_the_raw_one_to_1():
    few = Scope((ScopeReason("few-words", 0.5, {"words": 7, "least": 14}),))
    assert few.shrunk_interval((-1.2, -0.8)) == (-1.2, 0.0)
    assert few.shrunk_interval((0.3, 0.9)) == (0.0, 0.9)
    assert Scope().shrunk_interval((0.3, 0.9)) == (0.3, 0.9)


def test_a_long_page_with_many_insertions_is_not_called_one_hand():
    page = segment_scan(next(iter(read_scans(TWO_HANDS))))
    lines = 1 + max(word.line for word in page.words)
    words = tuple(replace(word, line=word.line + turn * lines) for turn in range(3) for word in page.words)
    examiner = Examiner()
    once, again = (examiner.examine_page(replace(page, words=each)) for each in (page.words, words))
    assert again.log10_lr > 1
    assert again.log10_lr > once.log10_lr - 1
    assert [reason.code for reason in again.scope.reasons if reason.code != "synthetic"] == ["stretches"]
    assert again.scope.inside
    assert np.isfinite(again.interval).all()
