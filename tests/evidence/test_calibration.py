"""A calibrated score is a likelihood ratio, and never more than the data support."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.error import HandshiftError
from handshift.evidence.calibration import Calibration, fit_calibration, lr_bounds
from handshift.evidence.context import Context
from handshift.evidence.verdict import Propositions, Reference
from handshift.metrics import cllr


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    return rng.normal(2, 1, 400), rng.normal(0, 1, 400)


def test_gaussian_scores_get_the_ratio_of_their_densities(scores):
    calibration = fit_calibration(*scores)
    # ln LR of N(2, 1) against N(0, 1) at x is 2x − 2.
    assert calibration.slope * np.log(10) == pytest.approx(2, rel=0.15)
    assert calibration.offset * np.log(10) == pytest.approx(-2, rel=0.15)


def test_calibration_helps_scores_on_another_scale(scores):
    several, one = scores[0] * 30, scores[1] * 30
    calibration = fit_calibration(several, one)
    weights = [calibration.log10_lr(score) for score in [*several, *one]]
    assert cllr(np.repeat([1, 0], 400), weights) < 0.55


def test_no_score_is_worth_more_than_the_bounds(scores):
    calibration = fit_calibration(*scores)
    assert calibration.log10_lr(1e9) == calibration.highest < np.log10(401) + 1e-9
    assert calibration.log10_lr(-1e9) == calibration.lowest > -np.log10(401) - 1e-9


def test_more_data_support_stronger_statements():
    rng = np.random.default_rng(1)
    few = lr_bounds(rng.normal(9, 1, 30), rng.normal(0, 1, 30))
    many = lr_bounds(rng.normal(9, 1, 3000), rng.normal(0, 1, 3000))
    assert many[1] > few[1] + 1 and many[0] < few[0] - 1


@pytest.mark.parametrize(
    ("several", "one", "reason"),
    [
        (np.ones(5), np.zeros(50), "at least 20"),
        (np.ones(50), np.ones(50), "all equal"),
        (np.full(50, np.nan), np.zeros(50), "finite"),
        (np.linspace(0, 1, 50), np.linspace(4, 5, 50), "swapped"),
    ],
)
def test_scores_that_cannot_calibrate_are_refused_with_the_reason(several, one, reason):
    with pytest.raises(ValueError, match=reason):
        fit_calibration(several, one)


def test_a_context_is_read_back_as_it_was_written(tmp_path):
    calibration = Calibration(1.0, -0.5, -1.5, 2.0)
    context = Context("m", calibration, Propositions("two", "one", "us"), Reference((1.0,), (2.0, 3.0)))
    context.save(tmp_path / "context.json")
    assert Context.load(tmp_path / "context.json") == context
    (tmp_path / "context.json").write_text("{}")
    with pytest.raises(HandshiftError, match=r"context\.json"):
        Context.load(tmp_path / "context.json")
