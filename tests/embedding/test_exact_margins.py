"""Margins, their terms and their defaults on single angles, worked out by hand."""

from __future__ import annotations

import math

import pytest
import torch

from handshift.core.errors import HandshiftError
from handshift.embedding.train.margins import MARGINS, default_scale, make_margin
from handshift.embedding.train.margins.adaface import AdaFace
from handshift.embedding.train.margins.combined_margin import (
    CombinedMargin,
    add_angular_margin,
    checked_radians,
    sine,
)
from handshift.embedding.train.margins.curricularface import CurricularFace
from handshift.embedding.train.margins.terms import Angles, Inter, Intra

DEFAULTS = {
    "combined": (1.0, 0.3, 0.2),
    "sphereface": (1.35, 0.0, 0.0),
    "arcface": (1.0, 0.5, 0.0),
    "cosface": (1.0, 0.0, 0.35),
}


def cosines(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(("name", "wanted"), DEFAULTS.items())
def test_defaults_are_those_of_the_papers(name: str, wanted: tuple[float, float, float]):
    margin = MARGINS[name](30.0)
    assert isinstance(margin, CombinedMargin)
    assert (margin.m1, margin.m2, margin.m3) == wanted


def test_defaults_of_margins_that_learn_from_batches():
    adaface, curricular = AdaFace(30.0), CurricularFace(30.0)
    assert (adaface.margin, adaface.concentration, adaface.rate) == (0.4, 0.333, 0.01)
    assert (curricular.margin, curricular.rate) == (0.5, 0.01)
    assert [float(adaface.mean), float(adaface.deviation), float(curricular.hardness)] == [0.0, 0.0, 0.0]


def test_the_scale_grows_with_the_logarithm_of_the_classes():
    for classes in (2, 200, 1_000_001):
        wanted = math.sqrt(2) * (math.log(classes - 1) + math.log1p(-1e-6) - math.log(1e-6))
        assert default_scale(classes) == pytest.approx(wanted, rel=1e-12)


def test_the_sine_is_a_line_next_to_one():
    least = 8 * torch.finfo(torch.float64).eps
    for share in (0.0, 0.25, 0.5):
        cosine = cosines(math.sqrt(1 - share * least))
        square = 1.0 - float(cosine) ** 2
        assert float(sine(cosine)) == pytest.approx(square / math.sqrt(least), rel=1e-9, abs=1e-30)
    assert float(sine(cosines(0.6))) == pytest.approx(0.8)


def test_an_angle_past_the_fold_continues_as_a_line():
    margin = 1.0
    inside, past = math.cos(1.0), math.cos(3.0)
    found = add_angular_margin(cosines(inside, past), margin)
    assert found.tolist() == pytest.approx([math.cos(2.0), past - margin * math.sin(margin)])
    assert add_angular_margin(cosines(0.3), 0.0).tolist() == [0.3]
    # Where θ + m is π itself, the cosine still holds: −1, and not the line's −π/2.
    assert add_angular_margin(cosines(0.0), math.pi / 2).tolist() == [-1.0]


def test_angular_margins_end_at_a_right_angle():
    assert checked_radians(math.pi / 2) == math.pi / 2
    with pytest.raises(HandshiftError):
        checked_radians(math.pi / 2 + 0.01)


def test_quality_is_clipped_at_both_ends():
    margin = AdaFace(30.0, margin=0.4, concentration=1.0)
    margin.mean.fill_(10.0)
    margin.deviation.fill_(1.0)
    found = margin.quality(torch.tensor([0.0, 9.5, 10.5, 500.0], dtype=torch.float64))
    assert found.tolist() == pytest.approx([-1.0, -0.5 / 1.001, 0.5 / 1.001, 1.0])


def test_norms_are_bounded_before_they_are_averaged():
    margin = AdaFace(30.0)
    margin.observe(cosines(0.5, 0.5), torch.tensor([0.0, 1e6]))
    assert float(margin.mean) == pytest.approx((1e-3 + 100.0) / 2, rel=1e-6)
    assert float(margin.deviation) == pytest.approx((100.0 - 1e-3) / math.sqrt(2), rel=1e-6)
    shortest = AdaFace(30.0)
    shortest.observe(cosines(0.5, 0.5), torch.zeros(2))
    assert float(shortest.mean) == pytest.approx(1e-3)
    shortest.observe(cosines(0.5), torch.ones(1))
    assert float(shortest.batches) == 1.0


def test_an_angle_is_moved_no_further_than_nought():
    margin = AdaFace(30.0, margin=0.4, concentration=1.0)
    margin.mean.fill_(10.0)
    margin.deviation.fill_(1.0)
    best = torch.tensor([100.0, 100.0], dtype=torch.float64)  # quality 1
    found = margin.target(cosines(math.cos(0.2), math.cos(1.0)), best)
    assert found.tolist() == pytest.approx([1.0 - 0.8, math.cos(0.6) - 0.8])


def test_terms_are_mean_angles_over_pi():
    angles = Angles(cosines(math.cos(0.5), math.cos(2.5)), lambda: cosines(1.0, 3.0))
    assert float(Intra()(angles)) == pytest.approx(1.5 / math.pi)
    assert float(Intra(3.0)(angles)) == pytest.approx(4.5 / math.pi)
    assert float(Inter()(angles)) == pytest.approx(-2.0 / math.pi)
    assert float(Inter(0.5)(angles)) == pytest.approx(-1.0 / math.pi)


def test_a_negative_as_near_as_the_target_is_not_hard():
    margin = CurricularFace(30.0, margin=0.0)
    margin.strength = 1.0
    found = margin.others(torch.tensor([[0.4, 0.5, 0.6]], dtype=torch.float64), cosines(0.5))
    assert found.tolist()[0] == pytest.approx([0.4, 0.5, 0.6 * 0.6])  # t is 0: the factor is cos θ


def test_an_option_of_another_type_is_refused():
    for wrong in ("wide", None, [0.5]):
        with pytest.raises(HandshiftError, match="margin should be a number"):
            make_margin("arcface", 10, margin=wrong)
