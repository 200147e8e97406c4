"""Scores become likelihood ratios as the reference implementation makes them, and never stronger ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from lir.algorithms.bayeserror import elub as lir_elub
from lir.algorithms.isotonic_regression import IsotonicCalibrator
from lir.algorithms.kde import KDECalibrator
from lir.algorithms.logistic_regression import LogitCalibrator

from handshift.calibration import Calibration, CalibrationError, LabelledScores, Method, fit_calibration
from handshift.calibration.elub import elub
from handshift.calibration.isotonic import Isotonic
from handshift.calibration.kernel import Kernel
from handshift.calibration.logistic import Logistic
from handshift.calibration.page_calibration import PageCalibration, SizedCalibration
from handshift.calibration.propositions import Claim, Propositions
from handshift.calibration.two_slope import TwoSlope
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import HandshiftError
from handshift.metrics import cllr

PEOPLE = np.array([f"w{k % 25}" for k in range(400)])


def known(scale: float = 1.0, shift: float = 0.0, seed: int = 0) -> LabelledScores:
    """N(2, 1) against N(0, 1): 400 cases of the first, 300 of the second proposition, 25 writers."""
    rng = np.random.default_rng(seed)
    first, second = rng.normal(2, 1, 400), rng.normal(0, 1, 300)
    return LabelledScores.of(first * scale + shift, second * scale + shift, PEOPLE, PEOPLE[:300])


INSIDE = np.linspace(-1.5, 3.5, 60)


def test_logistic_agrees_with_lir():
    data = known(scale=7, shift=-3)
    theirs = LogitCalibrator(C=1e12, tol=1e-10, max_iter=10_000).fit(data.scores, data.first.astype(int))
    at = INSIDE * 7 - 3
    assert Logistic.fit(data).log10_lr(at) == pytest.approx(theirs.transform(at), abs=1e-6)


@pytest.mark.parametrize("misleading", [0, 1])
def test_isotonic_agrees_with_lir(misleading):
    data = known()
    theirs = IsotonicCalibrator(add_misleading=misleading).fit(data.scores, data.first.astype(int))
    at = np.concatenate([INSIDE, data.scores])
    with np.errstate(divide="ignore"):
        expected = theirs.transform(at)
    assert Isotonic.fit(data, misleading).log10_lr(at) == pytest.approx(expected, abs=1e-6)


def test_kernels_agree_with_lir():
    data = known()
    theirs = KDECalibrator(bandwidth="silverman").fit(data.scores, data.first.astype(int))
    assert Kernel.fit(data).log10_lr(INSIDE) == pytest.approx(theirs.transform(INSIDE), abs=1e-6)


def test_a_two_slope_line_is_straight_where_a_straight_one_is_right():
    data = known()
    assert TwoSlope.fit(data).log10_lr(INSIDE) == pytest.approx(Logistic.fit(data).log10_lr(INSIDE), abs=0.4)


def test_a_two_slope_line_follows_mixed_populations_and_never_falls():
    """Half of the first group is hardly detectable: low scores carry little evidence, high ones much."""
    rng = np.random.default_rng(0)
    first = np.concatenate([rng.normal(0.5, 1, 600), rng.normal(5, 1, 600)])
    data = LabelledScores.of(first, rng.normal(0, 1, 1200))
    bent, line = TwoSlope.fit(data), Logistic.fit(data)
    assert cllr(data.first, bent.log10_lr(data.scores)) < cllr(data.first, line.log10_lr(data.scores)) - 0.01
    assert bent.low < line.slope < bent.high
    assert (np.diff(bent.log10_lr(np.linspace(-50, 50, 999))) > 0).all()


def test_scores_without_overlap_bend_no_line():
    data = LabelledScores.of(np.linspace(5, 6, 40), np.linspace(0, 1, 40))
    assert np.isfinite(TwoSlope.fit(data).log10_lr([-10, 0, 3, 10])).all()


@pytest.mark.parametrize("spread", [0.3, 1.0, 4.0])
def test_bounds_agree_with_lir(spread):
    data = known()
    weights = (2 * data.scores - 2) / np.log(10) * spread
    assert elub(weights, data.first) == pytest.approx(
        lir_elub(weights.copy(), data.first.astype(int)), abs=1e-6
    )


@pytest.mark.parametrize("method", list(Method))
def test_every_method_gives_ratios_of_densities(method):
    calibration = fit_calibration(known(), method)
    # ln LR of N(2, 1) against N(0, 1) at x is 2x − 2.
    at = np.array([0.2, 0.6, 1.0, 1.4, 1.8])
    assert calibration.log10_lr(at) == pytest.approx((2 * at - 2) / np.log(10), abs=0.4)
    fresh = known(seed=9)
    assert cllr(fresh.first, calibration.log10_lr(fresh.scores)) < 0.58


@pytest.mark.parametrize("method", list(Method))
def test_no_score_is_worth_more_than_the_bounds(method):
    calibration = fit_calibration(known(), method)
    assert calibration.log10_lr(1e9) <= calibration.highest < np.log10(301) + 0.02
    assert calibration.log10_lr(-1e9) >= calibration.lowest > -np.log10(401) - 0.02
    assert calibration.lowest < 0 < calibration.highest


@pytest.mark.parametrize("method", list(Method))
def test_the_interval_holds_the_ratio_and_stays_within_the_bounds(method):
    calibration = fit_calibration(known(), method)
    for score in (-9.0, 0.0, 1.0, 2.0, 99.0):
        low, high = calibration.interval(score)
        assert calibration.lowest <= low <= calibration.log10_lr(score) <= high <= calibration.highest
    wide = calibration.interval(2.0)
    assert wide[1] - wide[0] > 0.01


def test_few_writers_make_a_wider_interval_than_many():
    rng = np.random.default_rng(3)

    def of(writers: int) -> LabelledScores:
        who = np.arange(400) % writers
        bias = rng.normal(0, 1, writers)[who]
        names = np.char.add("w", who.astype(str))
        return LabelledScores.of(rng.normal(2, 1, 400) + bias, rng.normal(0, 1, 400) + bias, names, names)

    widths = [np.ptp(fit_calibration(of(writers)).interval(1.0)) for writers in (10, 200)]
    assert widths[0] > 1.5 * widths[1]


def test_more_data_support_stronger_statements():
    rng = np.random.default_rng(1)
    few, many = (
        fit_calibration(LabelledScores.of(rng.normal(9, 1, size), rng.normal(0, 1, size)))
        for size in (30, 3000)
    )
    assert many.highest > few.highest + 1 and many.lowest < few.lowest - 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (LabelledScores.of(np.ones(5), np.zeros(50)), "at least 20 scores"),
        (LabelledScores.of(np.ones(50), np.ones(50)), "all equal"),
        (LabelledScores.of(np.full(50, np.nan), np.zeros(50)), "50 of 100 calibration scores are not finite"),
        (LabelledScores.of(np.arange(50), []), "one class"),
        (LabelledScores.of(np.linspace(0, 1, 50), np.linspace(4, 5, 50)), "swapped"),
        (
            LabelledScores.of(np.arange(30), np.arange(30), ["a", "b", "c"] * 10, ["a"] * 30),
            "10 writers, got 3",
        ),
    ],
)
def test_scores_that_cannot_calibrate_are_refused_with_the_reason(data, reason):
    with pytest.raises(CalibrationError, match=reason):
        fit_calibration(data)


@pytest.fixture(scope="module")
def context() -> PageCalibration:
    sizes = (SizedCalibration.fit(14, known()), SizedCalibration.fit(56, known(scale=3)))
    return PageCalibration("m", Propositions("two", "one", "us"), sizes)


def test_between_two_sizes_a_score_weighs_between(context):
    small, between, large = (context.page_lr(2.5, words) for words in (14, 28, 56))
    assert between.log10_lr == pytest.approx((small.log10_lr + large.log10_lr) / 2)
    assert between.bounds[1] == pytest.approx((small.bounds[1] + large.bounds[1]) / 2)
    assert context.page_lr(2.5, 5) == small and context.page_lr(2.5, 500) == large
    weights = context.log10_lr([2.5, 2.5], [14, 28])
    assert weights == pytest.approx([small.log10_lr, between.log10_lr])


def test_a_context_is_read_back_as_it_was_written(context, tmp_path):
    (tmp_path / "words.onnx").write_bytes(b"network")
    context.save(tmp_path / "context.json")
    read = PageCalibration.load(tmp_path / "context.json")
    assert read.page_lr(1.0, 20) == context.page_lr(1.0, 20)
    assert len(read.reference(50).several_hands) == len(context.reference(50).several_hands)
    (tmp_path / "context.json").write_text("{}")
    with pytest.raises(HandshiftError, match=r"context\.json"):
        PageCalibration.load(tmp_path / "context.json")


@pytest.mark.parametrize("method", list(Method))
def test_every_method_can_be_stored(method):
    calibration = fit_calibration(known(), method)
    assert Calibration.from_record(calibration.record()) == calibration


def test_a_calibration_is_refused_beside_another_model(context, tmp_path):
    (tmp_path / "words.onnx").write_bytes(b"network")
    context.save(tmp_path / "context.json")
    (tmp_path / "words.onnx").write_bytes(b"another network")
    with pytest.raises(CalibrationError, match="made for another model"):
        PageCalibration.load(tmp_path / "context.json")


def test_sizes_that_do_not_rise_are_refused(context):
    with pytest.raises(CalibrationError, match="ascending"):
        replace(context, sizes=context.sizes[::-1])


def test_propositions_say_of_which_pages_they_speak_in_every_language():
    claim = Claim(least=0.1, most=0.5, fewest=3, days=2)
    english = claim.propositions("us", {"ko": "우리"})
    assert "10 to 50 %" in english.several_hands and "3 at least" in english.several_hands
    assert "on two" in english.one_hand and "on two" not in replace(claim, days=1).propositions("us").one_hand
    korean = english.in_language(Language.ko)
    assert "다른 사람" in korean.several_hands and korean.population == "우리"
    assert (
        Propositions.from_record(english.record())
        == english
        == korean.claim.propositions("us", {"ko": "우리"})
    )
    assert claim.holds(0.2, 14) and not claim.holds(0.1, 14) and not claim.holds(0.05, 100)
    assert claim.holds(0.5, 4) and not claim.holds(0.25, 4), "half of a page of fewer than six words"
    assert "fewer than 6" in english.several_hands and "6개가 안 되는" in korean.several_hands


def test_propositions_of_ones_own_are_returned_as_they_were_written():
    own = Propositions("two", "one", "us")
    assert own.in_language(Language.ko) is own
    assert Propositions.from_record({"several_hands": "two", "one_hand": "one", "population": "us"}) == own
