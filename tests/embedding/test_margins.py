"""Each margin does to the target's angle what its paper says, and stays finite and falling everywhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from pytorch_metric_learning import losses as reference
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads import Plain
from handshift.embedding.train.margins import MARGINS, default_scale, make_margin

CLASSES, DIMENSIONS = 7, 12
CLOSE: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}


def batch(dtype=torch.float32, size=16, seed=0):
    torch.manual_seed(seed)
    features = 3 * torch.randn(size, DIMENSIONS, dtype=dtype)
    return features.requires_grad_(), torch.randint(CLASSES, (size,))


def with_gradients(loss, *leaves):
    return loss.detach(), *torch.autograd.grad(loss, leaves)


REFERENCES = [
    ("arcface", {"scale": 30.0, "margin": math.radians(28.6)}, reference.ArcFaceLoss, {"scale": 30}),
    ("cosface", {"scale": 64.0, "margin": 0.35}, reference.CosFaceLoss, {"scale": 64}),
    ("sphereface", {"scale": 8.0, "margin": 4}, reference.SphereFaceLoss, {"scale": 8}),
    ("sphereface", {"scale": 20.0, "margin": 2}, reference.SphereFaceLoss, {"scale": 20, "margin": 2}),
    ("normalised-softmax", {"scale": 20.0}, reference.NormalizedSoftmaxLoss, {"temperature": 1 / 20}),
]


@pytest.mark.filterwarnings("ignore:__array_wrap__:DeprecationWarning")  # its SphereFace
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("name", "options", "peer", "peer_options"), REFERENCES)
def test_value_and_gradients_agree_with_pytorch_metric_learning(name, options, peer, peer_options, dtype):
    features, labels = batch(dtype)
    head = Plain(CLASSES, DIMENSIONS, make_margin(name, CLASSES, **options)).to(dtype)
    peer = peer(CLASSES, DIMENSIONS, **peer_options)
    peer.W = torch.nn.Parameter(head.centres.detach().T.clone())
    ours = with_gradients(head.loss(features, labels), features, head.centres)
    # Its SphereFace multiplies by the feature's norm, which is 1 for features of unit length.
    theirs = with_gradients(peer(F.normalize(features), labels), features, peer.W)
    for mine, other in zip(ours, (*theirs[:2], theirs[2].T), strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)


def by_hand(head, features, labels, target, other=lambda cosine, add_angular_margin: cosine):
    """Cross-entropy by loops over samples and classes, with arccos, in double precision."""
    directions = [centre / centre.norm() for centre in head.centres.double()]
    losses = []
    for row, label in zip(features.double(), labels.tolist(), strict=True):
        cosine = [torch.dot(row, direction) / row.norm() for direction in directions]
        own = target(torch.arccos(cosine[label]), row.norm().item())
        logits = [own if j == label else other(c, own) for j, c in enumerate(cosine)]
        powers = [torch.exp(head.margin.scale * logit) for logit in logits]
        losses.append(-torch.log(powers[label] / sum(powers)))
    return sum(losses) / len(losses)


def check_by_hand(head, features, labels, *rules):
    ours = with_gradients(head.loss(features, labels), features, head.centres)
    theirs = with_gradients(by_hand(head, features, labels, *rules), features, head.centres)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other.to(mine.dtype), **CLOSE)


def test_the_combined_margin_is_its_formula():
    features, labels = batch()
    head = Plain(CLASSES, DIMENSIONS, make_margin("combined", CLASSES, scale=10.0, m1=1.1, m2=0.2, m3=0.15))
    check_by_hand(head, features, labels, lambda theta, norm: torch.cos(1.1 * theta + 0.2) - 0.15)


def test_curricularface_weighs_hard_negatives_by_the_running_mean_of_the_target_cosine():
    features, labels = batch()
    head = Plain(CLASSES, DIMENSIONS, make_margin("curricularface", CLASSES, scale=10.0, rate=0.3))
    cosine = F.normalize(features) @ head.directions().T
    t = 0.0
    for step in range(3):
        t = 0.7 * t + 0.3 * cosine[torch.arange(16), labels].mean().item()
        if step < 2:
            head.loss(features, labels)

    def other(cosine, add_angular_margin):
        return cosine * (t + cosine) if cosine > add_angular_margin else cosine

    check_by_hand(head, features, labels, lambda theta, norm: torch.cos(theta + 0.5), other)
    assert head.margin.hardness.item() == pytest.approx(t, abs=1e-6)


def test_adaface_sets_the_margin_by_the_norm_beside_its_running_statistics():
    head = Plain(CLASSES, DIMENSIONS, make_margin("adaface", CLASSES, scale=10.0))
    batches = [batch(seed=seed) for seed in range(3)]
    norms = [np.linalg.norm(features.detach().numpy(), axis=1) for features, _ in batches]
    mean, deviation = np.mean([n.mean() for n in norms]), np.mean([n.std(ddof=1) for n in norms])
    for features, labels in batches[:2]:
        head.loss(features, labels)

    def target(theta, norm):
        quality = np.clip(0.333 * (norm - mean) / (deviation + 1e-3), -1, 1)
        return torch.cos(theta - 0.4 * quality) - 0.4 - 0.4 * quality

    check_by_hand(head, *batches[2], target)


def test_adaface_asks_more_of_clear_pictures():
    margin = make_margin("adaface", CLASSES)
    cosine, norms = torch.full((3,), 0.9), torch.tensor([5.0, 10.0, 15.0])
    margin.observe(cosine, norms)
    blurred, middling, clear = (cosine - margin.target(cosine, norms)).tolist()
    assert blurred < middling < clear


def test_adaface_statistics_survive_a_batch_of_one():
    head = Plain(CLASSES, DIMENSIONS, make_margin("adaface", CLASSES))
    features, labels = batch(size=1)
    assert torch.isfinite(head.loss(features, labels))


def test_the_plain_softmax_is_a_linear_layer():
    features, labels = batch()
    head = Plain(CLASSES, DIMENSIONS, make_margin("softmax", CLASSES))
    with torch.no_grad():
        head.bias.normal_()
    ours = with_gradients(head.loss(features, labels), features, head.centres, head.bias)
    layer = features @ head.centres.T + head.bias
    theirs = with_gradients(F.cross_entropy(layer, labels), features, head.centres, head.bias)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)


@pytest.mark.parametrize("name", [n for n in MARGINS if n != "softmax"])
def test_at_strength_zero_every_margin_is_the_normalised_softmax(name):
    features, labels = batch()
    head = Plain(CLASSES, DIMENSIONS, make_margin(name, CLASSES, scale=9.0))
    head.margin.strength = 0.0
    plain = F.cross_entropy(9.0 * F.normalize(features) @ F.normalize(head.centres).T, labels)
    assert head.loss(features, labels).item() == pytest.approx(plain.item(), abs=1e-5)


@pytest.mark.parametrize("strength", [0.4, 1.0])
@pytest.mark.parametrize("options", [{}, {"margin": 1.5}])
@pytest.mark.parametrize("name", ["sphereface", "arcface", "cosface", "curricularface", "combined"])
def test_the_target_logit_falls_with_the_angle_even_past_the_fold(name, options, strength):
    margin = make_margin(name, CLASSES, **({} if name == "combined" else options))
    margin.strength = strength
    cosine = torch.linspace(0, math.pi, 2000, dtype=torch.float64).cos()
    falls = margin.target(cosine, torch.ones_like(cosine)).diff()
    assert (falls < 1e-12).all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("name", MARGINS)
def test_values_and_gradients_are_finite_at_the_ends(name, sign, dtype):
    head = Plain(2, 3, make_margin(name, 2)).to(dtype)
    with torch.no_grad():
        head.centres.copy_(torch.eye(3)[:2])
    features = torch.tensor([[2 * sign, 0, 0], [0, sign, 0]], dtype=dtype, requires_grad=True)
    found = with_gradients(head.loss(features, torch.tensor([0, 1])), features, head.centres)
    assert all(torch.isfinite(tensor).all() for tensor in found)
    assert found[0].dtype == (torch.float64 if dtype == torch.float64 else torch.float32)


def test_a_feature_without_direction_gets_no_gradient():
    features = torch.zeros(2, DIMENSIONS, dtype=torch.float16, requires_grad=True)
    Plain(CLASSES, DIMENSIONS, make_margin("arcface", CLASSES)).loss(
        features, torch.tensor([0, 1])
    ).backward()
    assert not features.grad.any()


@pytest.mark.parametrize("name", ["arcface", "sphereface", "adaface"])
def test_a_cosine_rounded_past_one_is_taken_as_one(name):
    cosine = torch.tensor([1.0 + 1e-6, 1.0, -1.0 - 1e-6, -1.0], requires_grad=True)
    target = make_margin(name, CLASSES).target(cosine, torch.ones(4))
    (slope,) = torch.autograd.grad(target.sum(), cosine)
    assert torch.isfinite(slope).all()
    torch.testing.assert_close(target[0::2], target[1::2], rtol=0, atol=1e-5)


def test_half_precision_under_autocast_loses_nothing():
    features, labels = batch()
    head = Plain(CLASSES, DIMENSIONS, make_margin("arcface", CLASSES))
    with torch.autocast("cpu", torch.bfloat16):
        mixed = head.loss(features, labels)
    assert mixed.item() == head.loss(features, labels).item()


def test_the_default_scale_grows_with_the_classes_and_lets_a_sample_at_45_degrees_be_sure():
    for classes in (2, 200, 10_000, 1_000_000):
        own = math.exp(default_scale(classes) * math.cos(math.pi / 4))
        assert own / (own + classes - 1) == pytest.approx(1 - 1e-6, abs=1e-9)
    assert make_margin("arcface", 1000).scale > make_margin("arcface", 100).scale
    assert make_margin("arcface", 1000, scale=5.0).scale == 5.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_margin("arkface", 5), "no margin 'arkface'.*softmax, normalised-softmax.*adaface"),
        (lambda: make_margin("arcface", 5, m=0.5), "no option 'm'.*scale, margin"),
        (lambda: make_margin("softmax", 5, scale=3.0), "no option 'scale'; it has no options"),
        (lambda: make_margin("arcface", 5, scale=0.0), "above 0"),
        (lambda: make_margin("arcface", 5, margin=28.6), "radians"),
        (lambda: make_margin("sphereface", 5, margin=0), "m1"),
        (lambda: setattr(make_margin("arcface", 5), "strength", 1.5), "0…1"),
    ],
)
def test_a_wrong_name_or_option_is_refused_with_the_right_ones(call, message):
    with pytest.raises(HandshiftError, match=message):
        call()
