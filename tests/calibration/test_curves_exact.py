"""Curves, bounds and bands of a calibration, number for number, against their definitions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import approx_fprime, minimize
from scipy.stats import gaussian_kde
from sklearn.isotonic import IsotonicRegression

from handshift.calibration import bootstrap_band as bands
from handshift.calibration import elub as elubs
from handshift.calibration import invariance_bounds as invariance
from handshift.calibration import two_slope
from handshift.calibration.bootstrap_band import Band, bootstrap_band
from handshift.calibration.calibration import Calibration, Method, fit_calibration
from handshift.calibration.elub import elub
from handshift.calibration.invariance_bounds import invariance_bounds, source_bounds
from handshift.calibration.isotonic import Isotonic
from handshift.calibration.kernel import Kernel
from handshift.calibration.labelled_scores import CalibrationError, LabelledScores
from handshift.calibration.logistic import Logistic
from handshift.calibration.two_slope import TwoSlope
from handshift.metrics.bootstrap import draw_groups


@pytest.fixture
def known() -> LabelledScores:
    random = np.random.default_rng(4)
    return LabelledScores.of(random.normal(1.5, 1.0, 40), random.normal(0.0, 1.3, 25))


def cross_entropy(natural: np.ndarray, first: np.ndarray) -> float:
    """At even prior odds: the mean over either class, whatever their numbers."""
    return float(np.log1p(np.exp(-natural[first])).mean() + np.log1p(np.exp(natural[~first])).mean())


def test_the_logistic_line_minimises_the_cross_entropy_at_even_odds(known):
    def cost(line):
        return cross_entropy(line[0] * known.scores + line[1], known.first)

    slope, offset = minimize(cost, [1.0, 0.0], tol=1e-12).x / np.log(10)
    found = Logistic.fit(known)
    assert (found.slope, found.offset) == pytest.approx((slope, offset), abs=1e-4)
    assert found.log10_lr([0.0, 2.0]) == pytest.approx([found.offset, 2 * found.slope + found.offset])


def test_scores_that_fall_with_the_evidence_are_refused(known):
    with pytest.raises(CalibrationError, match="swapped"):
        Logistic.fit(LabelledScores(-known.scores, known.first))


def test_two_slopes_are_those_of_the_formula():
    curve = TwoSlope(offset=0.3, low=0.5, high=2.0, knot=1.0, breadth=0.4)
    for score in (-2.0, 1.0, 1.3, 5.0):
        bend = 0.4 * np.log1p(np.exp((score - 1.0) / 0.4))
        assert curve.log10_lr(score) == pytest.approx(0.3 + 0.5 * score + 1.5 * bend)


def cost_alone(search: two_slope._Search) -> Callable[[np.ndarray], float]:
    """The cost without its gradient, for scipy to take its own."""

    def cost(at: np.ndarray) -> float:
        return search.cost(at)[0]

    return cost


@pytest.mark.parametrize("change", [(0.0, 0.0, 0.0, 0.5), (0.2, -0.4, 0.7, -0.3)])
def test_the_search_for_two_slopes_has_the_cost_and_the_gradient_it_says(known, change):
    line = Logistic.fit(known)
    search = two_slope._Search(known, line, 0.7, 1.2)
    up, low, high, knot = change
    curve = search.at(np.array(change))
    place = 0.7 + 1.2 * knot
    assert (curve.low, curve.high) == pytest.approx((line.slope * np.exp(low), line.slope * np.exp(high)))
    assert (curve.knot, curve.breadth) == pytest.approx((place, 0.6))
    assert curve.offset + curve.low * place == pytest.approx(line.offset + up + line.slope * place)
    cost, gradient = search.cost(np.array(change))
    natural = np.log(10) * curve.log10_lr(known.scores)
    assert cost == pytest.approx(cross_entropy(natural, known.first) + 1e-3 * (low**2 + high**2))
    numeric = approx_fprime(np.array(change), cost_alone(search), 1e-7)
    assert gradient == pytest.approx(numeric, abs=1e-5)


def test_the_fitted_two_slopes_cost_no_more_than_one_and_rise(known):
    found = TwoSlope.fit(known)
    search = two_slope._Search(
        known, Logistic.fit(known), float(np.median(known.scores)), float(known.scores.std())
    )
    limits = [(None, None), (-3.0, 3.0), (-3.0, 3.0), (-2.0, 2.0)]
    best = min(
        (minimize(cost_alone(search), [0, 0, 0, k], bounds=limits) for k in (-0.5, 0.5)),
        key=lambda one: one.fun,
    )
    at = np.linspace(-3, 5, 30)
    assert found.log10_lr(at) == pytest.approx(search.at(best.x).log10_lr(at), abs=0.02)
    assert found.low > 0 and found.high > 0


@pytest.mark.parametrize("misleading", [1, 2])
def test_isotonic_is_the_weighted_regression_with_misleading_cases_beyond_the_ends(known, misleading):
    found = Isotonic.fit(known, misleading)
    low, high = known.scores.min() - 1, known.scores.max() + 1
    scores = np.concatenate([known.scores, [high] * misleading, [low] * misleading])
    truth = np.concatenate([known.first, np.zeros(misleading), np.ones(misleading)])
    weight = np.where(truth > 0, 1 / truth.sum(), 1 / (1 - truth).sum())
    peer = IsotonicRegression(out_of_bounds="clip").fit(scores, truth, weight)
    at = np.sort(np.concatenate([scores, np.linspace(low - 1, high + 1, 41)]))
    p = peer.predict(at)
    inside = (p > 1e-9) & (p < 1 - 1e-9)
    assert inside.sum() > 30
    assert found.log10_lr(at[inside]) == pytest.approx(np.log10(p[inside] / (1 - p[inside])), abs=1e-6)
    posterior = np.array(found.posterior)
    same = (posterior[1:-1] == posterior[:-2]) & (posterior[1:-1] == posterior[2:])
    assert not same.any(), "a knot within a constant stretch is kept"
    assert Isotonic.fit(known).posterior == Isotonic.fit(known, 1).posterior


def test_the_kernel_ratio_is_that_of_two_density_estimates(known):
    found = Kernel.fit(known)
    groups = known.scores[known.first], known.scores[~known.first]
    widths = [(4 / 3 * group.std() ** 5 / group.size) ** 0.2 for group in groups]
    assert (found.first_width, found.second_width) == pytest.approx(tuple(widths))
    peers = [gaussian_kde(g, bw_method=w / g.std(ddof=1)) for g, w in zip(groups, widths, strict=True)]
    at = np.linspace(known.scores.min(), known.scores.max(), 5000)  # more than one chunk
    assert found.log10_lr(at) == pytest.approx(np.log10(peers[0](at) / peers[1](at)), abs=1e-9)
    ends = found.log10_lr([known.scores.min(), known.scores.max()])
    beyond = found.log10_lr([known.scores.min() - 9, known.scores.max() + 9])
    assert beyond == pytest.approx(ends)
    assert np.shape(found.log10_lr(0.5)) == () and np.shape(found.log10_lr([[0.5, 1.0]])) == (1, 2)
    with pytest.raises(CalibrationError, match="width is 0"):
        Kernel.fit(LabelledScores.of([1.0, 1.0], [0.0, 2.0]))
    with pytest.raises(CalibrationError, match="width is 0"):
        Kernel.fit(LabelledScores.of([0.0, 2.0], [1.0, 1.0]))


def supported(log10_lr: np.ndarray, first: np.ndarray, at: float) -> bool:
    """Whether deciding by a threshold costs no more than deciding without the evidence."""
    true, false = log10_lr[first], log10_lr[~first]
    missed = ((true <= at + 1e-12).sum() + 1) / (true.size + 1)
    misled = ((false > at + 1e-12).sum() + 1) / (false.size + 1)
    return bool(missed + 10**at * misled <= min(1, 10**at) + 1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_elub_bounds_are_the_last_supported_thresholds(seed):
    random = np.random.default_rng(seed)
    log10_lr = np.round(np.concatenate([random.normal(1.2, 1, 60), random.normal(-1.0, 0.8, 45)]), 3) + 0.0005
    first = np.arange(105) < 60
    low, high = elub(log10_lr, first)
    assert low < 0 < high
    assert elubs.STEP == 0.01
    steps = np.round(np.arange(0.0, 3.0, 0.01), 2)
    refused_high = [at for at in steps if not supported(log10_lr, first, at)]
    refused_low = [-at for at in steps if not supported(log10_lr, first, -at)]
    assert high == pytest.approx(refused_high[0] - 0.01, abs=1e-9)
    assert low == pytest.approx(refused_low[0] + 0.01, abs=1e-9)


def test_elub_of_separated_groups_is_bounded_by_their_numbers():
    first = np.arange(60) < 40
    low, high = elub(np.where(first, 8.0, -8.0), first)
    # Nothing misleads but the case added on either side: 1/41 + t/21 ≤ min(1, t).
    exact = (np.log10(1 / 41 / (1 - 1 / 21)), np.log10(21 * (1 - 1 / 41)))
    assert low == pytest.approx(np.ceil(100 * exact[0]) / 100)
    assert high == pytest.approx(np.floor(100 * exact[1]) / 100)
    far = elub(np.where(first, 400.0, -400.0), first)
    assert far == pytest.approx((low, high))
    assert elub(np.where(first, -2.0, 2.0), first) == (0.0, 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_invariance_bounds_are_the_last_supported_thresholds(seed):
    random = np.random.default_rng(seed)
    values = np.concatenate([random.normal(1.0, 1, 50), random.normal(-1.0, 1, 30)])
    first = np.arange(80) < 50

    def share(kind: np.ndarray, at: float) -> float:
        return float(((values[kind] >= at).sum() + 0.5) / (kind.sum() + 1))

    grid = np.arange(min(0.0, values.min()), max(0.0, values.max()) + 0.001, 0.001)
    high = [np.log10(share(first, at) / share(~first, at)) - at for at in grid]
    low = [at - np.log10((1 - share(first, at)) / (1 - share(~first, at))) for at in grid]
    upper = grid[np.flatnonzero(np.array(high) < 0)[0] - 1]
    lower = grid[np.flatnonzero(np.array(low) < 0)[-1] + 1]
    assert invariance_bounds(values, first) == pytest.approx((min(lower, 0), max(upper, 0)), abs=1e-9)
    assert invariance.STEP == 0.001


def test_bounds_by_sources_are_the_log_of_their_number():
    assert source_bounds(100) == pytest.approx((-2.0, 2.0))
    assert source_bounds(0) == source_bounds(1) == (0.0, 0.0)


def test_a_band_has_the_quantiles_of_the_curves_of_drawn_writers(known):
    writers = np.array([f"w{k % 12}" for k in range(known.scores.size)])
    named = LabelledScores(known.scores, known.first, writers)

    def fitted(sample):
        return lambda at: at * sample.scores.mean()

    band = bootstrap_band(named, fitted, seed=3)
    knots = np.unique(np.quantile(known.scores, np.linspace(0, 1, 41)))
    drawn = np.array([knots * known.scores[rows].mean() for rows in draw_groups(writers, 200, 3)])
    assert band.scores == pytest.approx(knots)
    assert band.low == pytest.approx(np.quantile(drawn, 0.025, axis=0))
    assert band.high == pytest.approx(np.quantile(drawn, 0.975, axis=0))
    assert bootstrap_band(named, fitted) == bootstrap_band(named, fitted, seed=0)
    middle = (knots[3] + knots[4]) / 2
    assert band.at(middle) == pytest.approx(
        ((band.low[3] + band.low[4]) / 2, (band.high[3] + band.high[4]) / 2)
    )
    assert band.at(knots[0] - 5) == pytest.approx((band.low[0], band.high[0]))


@pytest.mark.parametrize(("failing", "enough"), [(100, True), (101, False)])
def test_a_band_needs_half_of_its_draws(known, failing, enough):
    named = LabelledScores(known.scores, known.first, np.array([f"w{k % 30}" for k in range(65)]))
    calls = iter(range(1000))

    def fitted(sample):
        assert sample.first.any() and not sample.first.all()
        if next(calls) < failing:
            raise CalibrationError("no")
        return lambda at: at

    assert bands.DRAWS == 200
    if enough:
        assert bootstrap_band(named, fitted).low
    else:
        with pytest.raises(CalibrationError, match="only 99 of 200"):
            bootstrap_band(named, fitted)


def test_draws_of_one_class_are_left_out():
    scores = np.arange(12.0)
    named = LabelledScores(scores, scores > 9, np.array([f"w{k}" for k in range(12)]))
    seen = []

    def fitted(sample):
        seen.append((sample.first.any(), sample.first.all()))
        return lambda at: at

    bootstrap_band(named, fitted)
    assert seen and all(any_ and not all_ for any_, all_ in seen) and len(seen) < bands.DRAWS


def test_an_interval_holds_the_ratio_and_is_clipped_to_the_bounds():
    line, band = Logistic(1.0, 0.0), Band((0.0, 4.0), (-1.0, 1.0), (1.0, 9.0))
    clipped = Calibration(line, -2.0, 3.0, band)
    assert clipped.interval(2.0) == pytest.approx((0.0, 3.0))
    assert clipped.interval(-1.5) == pytest.approx((-1.5, 1.0)), "the ratio lies below the band"
    assert Calibration(line, -2.0, 3.0).interval(9.0) == (3.0, 3.0)
    assert Calibration(line, -2.0, 0.2, Band((0.0,), (0.5,), (0.6,))).interval(0.0) == pytest.approx(
        (0.0, 0.2)
    )
    assert clipped.log10_lr([-9.0, 1.0, 9.0]).tolist() == [-2.0, 1.0, 3.0]
    again = Calibration.from_record(clipped.record())
    assert again == clipped and again.method is Method.logistic
    assert Calibration.from_record(Calibration(line, -2.0, 3.0).record()).band is None


def test_a_calibration_has_the_curve_its_bounds_and_a_band_where_writers_are_named(known):
    found = fit_calibration(known, Method.logistic)
    assert found.curve == Logistic.fit(known) and found.band is None
    assert (found.lowest, found.highest) == elub(found.curve.log10_lr(known.scores), known.first)
    named = LabelledScores(known.scores, known.first, np.array([f"w{k % 13}" for k in range(65)]))
    assert fit_calibration(named, Method.logistic).band is not None


def test_labelled_scores_are_joined_and_taken_in_order():
    one = LabelledScores.of([3.0, 2.0], [1.0], ["a", "b"], ["c"])
    assert one.scores.tolist() == [3.0, 2.0, 1.0] and one.first.tolist() == [True, True, False]
    some = one.taken(np.array([2, 0]))
    assert some.scores.tolist() == [1.0, 3.0] and some.first.tolist() == [False, True]
    assert some.writers.tolist() == ["c", "a"]
    assert LabelledScores.of([1.0], [2.0]).taken(np.array([1])).writers.size == 0
    both = one.joined(some)
    assert both.scores.tolist() == [3.0, 2.0, 1.0, 1.0, 3.0] and both.writers.tolist() == list("abcca")


def scored(true: int, false: int, writers: int = 0) -> LabelledScores:
    names = np.array([f"w{k % writers}" for k in range(true + false)]) if writers else np.zeros(0, np.str_)
    return LabelledScores(np.arange(true + false, dtype=float), np.arange(true + false) < true, names)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (scored(19, 40), "got 19 and 40"),
        (scored(40, 19), "got 40 and 19"),
        (scored(0, 40), "of one class"),
        (scored(40, 0), "of one class"),
        (scored(20, 20, 9), "at least 10 writers, got 9"),
        (LabelledScores(np.ones(40), np.arange(40) < 20), "all equal"),
        (LabelledScores(np.array([np.nan, np.inf] + [1.0] * 40), np.arange(42) < 20), "2 of 42"),
        (LabelledScores(np.arange(40.0), np.arange(40) < 20, np.array(["a"])), "1 writers are named for 40"),
    ],
)
def test_scores_that_cannot_be_calibrated_are_refused(given, message):
    with pytest.raises(CalibrationError, match=message):
        given.require()


def test_twenty_scores_of_either_class_by_ten_writers_are_enough():
    scored(20, 20).require()
    scored(20, 20, 10).require()
