"""Calibrations of several sizes, operating points and bounds on cases worked out by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handshift.calibration.bootstrap_band import Band
from handshift.calibration.calibration import Calibration, Method
from handshift.calibration.elub import elub
from handshift.calibration.invariance_bounds import invariance_bounds
from handshift.calibration.isotonic import Isotonic
from handshift.calibration.kernel import Kernel
from handshift.calibration.labelled_scores import CalibrationError, LabelledScores
from handshift.calibration.logistic import Logistic
from handshift.calibration.operating_points import KEPT, ModelOperatingPoints, OperatingPoints
from handshift.calibration.page_calibration import (
    SHOWN,
    PageCalibration,
    Reference,
    SizedCalibration,
)
from handshift.calibration.pair_calibration import (
    BoundedLine,
    NormalTail,
    PairCalibration,
    PairPropositions,
    SizedLine,
    Tail,
    words_of_pair,
)
from handshift.calibration.propositions import Propositions
from handshift.calibration.two_slope import TwoSlope
from handshift.core.errors import HandshiftError

SAID = Propositions("two", "한 사람", "us")


def sized(words: float, slope: float, offset: float, reach: float, band: Band | None) -> SizedCalibration:
    reference = Reference((words, 0.12345), (-words,))
    return SizedCalibration(words, Calibration(Logistic(slope, offset), -reach, reach, band), reference)


@pytest.fixture
def pages() -> PageCalibration:
    """10 words: LR = 10^s within ±2; 40 words: 10^(3s + 1) within ±3, with a band."""
    band = Band((0.0, 2.0), (0.0, 1.0), (4.0, 6.0))
    return PageCalibration("m", SAID, (sized(10, 1.0, 0.0, 2.0, None), sized(40, 3.0, 1.0, 3.0, band)))


def test_a_page_weighs_between_the_sizes_by_the_logarithm_of_its_words(pages):
    assert [float(pages.log10_lr(0.5, words)) for words in (1, 10, 20, 40, 900)] == pytest.approx(
        [0.5, 0.5, 1.5, 2.5, 2.5]
    )
    three = pages.log10_lr([0.5, 0.5, 3.0], [10, 20, 40])
    assert three == pytest.approx([0.5, 1.5, 3.0]) and three.shape == (3,)
    assert np.shape(pages.log10_lr(0.5, 20)) == ()
    assert pages.log10_lr([[0.0, 1.0]], 20) == pytest.approx(np.array([[0.5, 2.0]]))


def test_bounds_and_interval_of_a_page_lie_between_those_of_the_sizes(pages):
    found = pages.page_lr(0.5, 20)
    assert found.log10_lr == pytest.approx(1.5)
    assert found.bounds == pytest.approx((-2.5, 2.5))
    # 10 words have no band: 0.5 … 0.5. Of 40 words the band at 0.5 is 0.25 … 4.5, clipped to 3.
    assert found.interval == pytest.approx(((0.5 + 0.25) / 2, (0.5 + 3.0) / 2))


def test_reference_scores_are_those_of_the_size_nearest_as_a_ratio(pages):
    assert [pages.reference(words).one_hand[0] for words in (3, 19, 21, 500)] == [10, 10, 40, 40]


def test_sizes_rise_and_there_is_one(pages):
    small, large = pages.sizes
    assert PageCalibration("m", SAID, (small,)).sizes == (small,)
    for wrong in ((), (large, small), (small, small)):
        with pytest.raises(CalibrationError, match="ascending sizes"):
            PageCalibration("m", SAID, wrong)


def test_a_page_calibration_is_stored_with_scores_to_three_decimals(pages, tmp_path: Path):
    path = tmp_path / "context.json"
    (tmp_path / "words.onnx").write_bytes(b"network")
    pages.save(path)
    assert "한 사람" in path.read_text("utf-8")
    stored = json.loads(path.read_text("utf-8"))
    assert stored["sizes"][0]["reference"] == {"one_hand": [10, 0.123], "several_hands": [-10]}
    found = PageCalibration.load(path)
    assert [size.calibration for size in found.sizes] == [size.calibration for size in pages.sizes]
    assert [size.words for size in found.sizes] == [10.0, 40.0]
    assert found.propositions == SAID and found.model == "m"
    assert found.sizes[1].reference == Reference((40, 0.123), (-40,))
    # The files it was loaded beside do not make it another calibration.
    assert found.fingerprint and found == replace(pages, sizes=found.sizes)


@pytest.mark.parametrize(("cases", "shown"), [(600, 600), (601, 600), (1199, 600), (30, 30)])
def test_at_most_six_hundred_reference_scores_are_shown_from_the_first_to_the_last(cases, shown):
    # Even numbers are pages by several hands, odd ones by one.
    known = LabelledScores.of(np.arange(cases) + 0.5, np.arange(cases) - 0.5)
    found = SizedCalibration.fit(14, known, Method.logistic).reference
    for scores, first in ((found.several_hands, 0.5), (found.one_hand, -0.5)):
        assert len(scores) == shown <= SHOWN
        assert (scores[0], scores[-1]) == (first, first + cases - 1)
        assert (np.diff(scores) >= 1).all()


@pytest.fixture
def pairs() -> PairCalibration:
    """3 words: log10 LR = s − 1 within −1 … 2, 12 words: 3s + 1 within −3 … 4."""
    lines = BoundedLine(1.0, -1.0, -1.0, 2.0), BoundedLine(3.0, 1.0, -3.0, 4.0)
    tails = Tail(0.5, 0.25), Tail(1.5, 0.75)
    sizes = tuple(SizedLine(*row) for row in zip((3.0, 12.0), lines, tails, strict=True))
    return PairCalibration("m", PairPropositions("one", "two", "us"), sizes)


def test_a_pair_weighs_between_the_sizes_by_the_logarithm_of_its_words(pairs):
    assert pairs.line(6) == pytest.approx((2.0, 0.0))
    assert pairs.weight([2.0, 2.0, 2.0], [3, 6, 12]) == pytest.approx([1.0, 4.0, 7.0])
    assert pairs.bounds(6) == pytest.approx((-2.0, 3.0))
    assert pairs.log10_lr([1.0, 2.0, -9.0], 6) == pytest.approx([2.0, 3.0, -2.0])
    assert pairs.session_factor == 1.0
    assert words_of_pair(3, 6) == pytest.approx(4.0)
    assert words_of_pair([2, 5], [2, 20]) == pytest.approx([2.0, 8.0])


def test_a_threshold_is_where_the_tail_has_the_rate_of_each_enrolled_writer(pairs):
    # At 3 words the tail falls by ten in 0.25: 1 in 1,000 at 0.5 + 3 · 0.25.
    assert pairs.sizes[0].strangers.threshold(1e-3) == pytest.approx(1.25)
    assert pairs.threshold(3, 10, 0.01) == pytest.approx(1.25)
    assert pairs.threshold(12, 1, 0.01) == pytest.approx(3.0)
    assert pairs.threshold(6, 1, 0.01) == pytest.approx((1.0 + 3.0) / 2)
    assert pairs.threshold(3, 0, 0.01) == pairs.threshold(3, 1, 0.01) == pytest.approx(1.0)


def test_the_rate_of_strangers_is_that_of_the_tail_and_at_most_one(pairs):
    assert pairs.stranger_rate([1.0, 0.5, 0.0], 3) == pytest.approx([1e-2, 1.0, 1.0])
    # Between two sizes the logarithm of the rate: 10^−6 at 3 words, 10^−(2/3) at 12.
    assert float(pairs.stranger_rate(2.0, 6)) == pytest.approx(10.0 ** -((6 + 2 / 3) / 2))
    steep = PairCalibration("m", pairs.propositions, (SizedLine(3, pairs.sizes[0].calibration, Tail(1, 0)),))
    assert float(steep.stranger_rate(1.0 + 1e-6, 3)) == pytest.approx(0.1)


def test_a_normal_tail_has_the_rate_of_its_deviate(tmp_path: Path, pairs):
    tail = NormalTail(-2.0, 1.5)
    assert tail.threshold(0.5) == pytest.approx(-2.0)
    assert tail.threshold(0.0013498980316301) == pytest.approx(-2.0 + 3 * 1.5)
    assert tail.rate(np.array([-2.0, 2.5])) == pytest.approx([0.5, 0.0013498980316301])
    sized = NormalTail(-3.0, 1.5)
    lines = tuple(SizedLine(size.words, size.calibration, tail, sized) for size in pairs.sizes)
    normal = PairCalibration("m", pairs.propositions, lines)
    assert normal.threshold(5, 10, 0.01) == pytest.approx(tail.threshold(0.001))
    assert normal.stranger_rate([1.0, 1.0], [3, 6]) == pytest.approx(tail.rate(np.array([1.0, 1.0])))
    assert normal.threshold(5, 10, 0.01, sized=True) == pytest.approx(sized.threshold(0.001))
    assert pairs.threshold(3, 10, 0.01, sized=True) == pairs.threshold(3, 10, 0.01)
    normal.save(tmp_path / "comparison.json")
    assert PairCalibration.load(tmp_path / "comparison.json") == normal


def test_a_pair_calibration_is_stored_whole(pairs, tmp_path: Path):
    path = tmp_path / "comparison.json"
    pairs.save(path)
    assert PairCalibration.load(path) == pairs
    stored = json.loads(path.read_text("utf-8")) | {"sizes": []}
    path.write_text(json.dumps(stored))
    with pytest.raises(HandshiftError, match="no sizes"):
        PairCalibration.load(path)


def test_a_document_at_the_threshold_is_flagged():
    points = OperatingPoints("14", 14, (0.0, 1.0, 2.0), (1.0, 3.0), (3, 2))
    assert points.rates(1.0) == pytest.approx((2 / 3, 0.0))
    assert points.rates(1.001) == pytest.approx((1 / 3, 1 / 2))


@pytest.mark.parametrize("cases", [KEPT, KEPT + 1])
def test_four_hundred_quantiles_are_kept_to_three_decimals(cases):
    known = LabelledScores.of(np.arange(cases)[::-1] + 0.1234567, np.arange(7.0))
    found = OperatingPoints.of("14", 14, known)
    assert KEPT == 400 and found.documents == (7, cases)
    assert found.one_hand == tuple(range(7))
    # Of 401 evenly spaced values, quantile (k + ½) / 400 lies half-way between two.
    between = 0.0 if cases == KEPT else 0.5
    assert found.several_hands == pytest.approx(np.arange(KEPT) + round(0.1234567, 3) + between, abs=1e-12)


def test_operating_points_are_stored_whole(tmp_path: Path):
    path = tmp_path / "operating-points.json"
    points = OperatingPoints("14", 14.0, (0.0, 1.0), (1.0, 3.0), (30, 50))
    longer = OperatingPoints("80", 80.0, (0.5,), (1.5,), (1, 2))
    model = ModelOperatingPoints("test writers", (points, longer))
    model.save(path, tmp_path)
    assert ModelOperatingPoints.load(path) == model
    tiny = ModelOperatingPoints("", (replace(points, words=1.0), replace(points, words=3.0)))
    assert [tiny.for_words(words).words for words in (0, 1, 2)] == [1.0, 1.0, 3.0]
    assert model.for_words(0) is points and model.for_words(33) is points and model.for_words(34) is longer


def test_elub_supports_a_threshold_that_costs_as_much_as_no_evidence():
    first = np.arange(6) < 3
    # At LR 1 half of the first and half of the second kind are misleading: the cost is exactly 1. Above it
    # the cost is 1/2 + t/4 ≤ 1 up to t = 2; below, 1/4 + t/2 ≤ t down to t = 1/2.
    above = elub(np.array([-0.5, 0.505, 1.0, -1.0, -0.5, 0.005]), first)
    assert above == pytest.approx((0.0, 0.30))
    below = elub(np.array([-0.005, 0.5, 1.0, -0.505, -1.0, 0.5]), first)
    assert below == pytest.approx((-0.30, 0.0))
    # A ratio of 1 is not above 1: the same as the first case.
    assert elub(np.array([-0.5, 0.505, 1.0, -1.0, 0.0, 0.005]), first) == pytest.approx((0.0, 0.30))
    # A ratio of 1 is missed at 1, and not below: 3/4 + 2/4 at 1 refuses what 1/4 + t/2 ≤ t would support.
    assert elub(np.array([0.0, 0.0, 1.0, -1.0, -0.5, 0.5]), first) == pytest.approx((0.0, 0.0), abs=1e-9)
    # Above 1, 3/4 + t/4 exceeds 1 at once, though not t.
    assert elub(np.array([-0.5, -0.3, 1.0, -1.0, -0.5, -0.2]), first) == pytest.approx((0.0, 0.0), abs=1e-9)


@pytest.mark.parametrize(
    ("true", "false", "bounds"),
    [
        # 1/10,001 + t/1,001 ≤ 1 holds at t = 1,000, and the next step lies beyond 1,001. Below 1 it is ≤ t
        # down to t = 1.001/10,001, whose log10 is −3.9996.
        (10_000, 1000, (-3.99, 3.00)),
        # 1/10,001 + t/21 ≤ 1 up to t = 20.998, log10 1.3222; and mirrored.
        (10_000, 20, (-3.97, 1.32)),
        (20, 10_000, (-1.32, 3.97)),
    ],
)
def test_elub_reaches_the_last_threshold_that_the_numbers_allow(true, false, bounds):
    first = np.arange(true + false) < true
    assert elub(np.where(first, 8.0, -8.0), first) == pytest.approx(bounds)


def test_invariance_bounds_end_where_the_values_do():
    # All values are 2.0005 or −1. Beyond 2.0005 the shares are 0.5/11 and 0.5/1,001: a ratio of 91 < 100.
    values = np.concatenate([np.full(10, 2.0005), np.full(1000, -1.0)])
    # At −1 itself nothing lies below: 0.5/11 over 0.5/1,001 is more than 1/10; the next threshold is fine.
    assert invariance_bounds(values, values > 0) == pytest.approx((-0.999, 2.0))
    # And below −2.0005, 0.5/1,001 over 0.5/11 is more than 1/100.
    assert invariance_bounds(-values, values < 0)[0] == pytest.approx(-2.0, abs=1.1e-3)


def test_invariance_bounds_without_a_refused_threshold_are_the_values():
    # From below, 0.5/1,001 over 0.5/11 is 0.011, less than every t from 1/10 on.
    values = np.concatenate([np.full(1000, 1.0), np.full(5, -0.9), np.full(5, -1.0)])
    assert invariance_bounds(values, values > 0)[0] == -1.0
    assert invariance_bounds(-values, values < 0)[1] == 1.0


def test_kernels_far_from_a_score_do_not_overflow():
    found = Kernel((0.0, 1000.0), (0.0,), 1.0, 1.0)
    assert found.log10_lr([0.0]) == pytest.approx([np.log10(1 / 2)])


def test_invariance_bounds_support_nothing_that_the_first_or_the_last_threshold_refuses():
    # Up to 0.4 the shares above are 10.5/11 and 20.5/21: their ratio is below 1 at the first threshold, 1.
    both = np.concatenate([np.full(10, 0.5), np.full(20, 0.4)])
    assert invariance_bounds(both, both > 0.45) == (0.0, 0.0)
    assert invariance_bounds(-both, both < 0.45) == (0.0, 0.0)


def test_equal_groups_have_no_slope():
    with pytest.raises(CalibrationError, match="swapped"):
        Logistic.fit(LabelledScores.of([0.0, 1.0], [0.0, 1.0]))


def test_slopes_and_knot_of_a_two_slope_line_are_bounded():
    flat, wide = np.linspace(-2, 2, 41), np.linspace(-6, 6, 41)
    # Nothing is told up to the highest scores: the knot would lie beyond two spreads from the middle.
    late = (
        np.concatenate([flat, flat, flat, 4 + 0.01 * flat[:6]]),
        np.concatenate([flat, flat, flat, np.zeros(6)]),
    )
    # And then everything: the upper slope would be more than e³ of the straight line's.
    steep = (
        np.concatenate([wide, wide, wide, 6.3 + 0.01 * flat]),
        np.concatenate([wide, wide, wide, 0 * flat]),
    )
    for sign in (1, -1):
        known = LabelledScores.of(*(late if sign > 0 else [-side for side in late[::-1]]))
        spread = known.scores.std()
        assert TwoSlope.fit(known).knot == pytest.approx(np.median(known.scores) + sign * 2 * spread)
        known = LabelledScores.of(*(steep if sign > 0 else [-side for side in steep[::-1]]))
        found, line = TwoSlope.fit(known), Logistic.fit(known)
        slope = found.high if sign > 0 else found.low
        assert np.log(slope / line.slope) == pytest.approx(3.0)


def test_isotonic_knots_run_from_one_misleading_case_to_the_other():
    known = LabelledScores.of([2.0, 3.0, 5.0], [0.0, 1.0, 2.5])
    found = Isotonic.fit(known)
    assert (found.scores[0], found.scores[-1]) == (-1.0, 6.0)
    # Sorted truth with the added cases: 1|0 0|1 0 1 1|0 at even odds, pooled from the left: 1 0 0 → 1/3,
    # 1 0 → 1/2, 1 1 0 → 2/3.
    assert found.log10_lr([-9.0, 0.5, 2.2, 4.0, 9.0]) == pytest.approx(np.log10([0.5, 0.5, 1.0, 2.0, 2.0]))
