"""The margin does to the target's angle what the paper says, and its gradients stay finite."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from handshift.embed.margins.arcface import ArcFace


def test_the_target_logit_is_the_cosine_of_the_widened_angle():
    torch.manual_seed(0)
    margin = ArcFace(5, 8, scale=10, margin=0.3)
    vectors, labels = F.normalize(torch.randn(6, 8), dim=1), torch.tensor([0, 1, 2, 3, 4, 0])
    cosine = vectors @ F.normalize(margin.centres, dim=1).T
    wanted = cosine.clone()
    for row, label in enumerate(labels):
        wanted[row, label] = torch.cos(torch.acos(cosine[row, label]) + 0.3)
    assert torch.allclose(margin.logits(vectors, labels), 10 * wanted, atol=1e-4)


def test_without_a_margin_it_is_the_normalised_softmax():
    torch.manual_seed(1)
    margin = ArcFace(4, 8, scale=7, margin=0.0)
    vectors, labels = F.normalize(torch.randn(5, 8), dim=1), torch.tensor([0, 1, 2, 3, 0])
    plain = F.cross_entropy(7 * vectors @ F.normalize(margin.centres, dim=1).T, labels)
    assert margin.loss(vectors, labels).item() == pytest.approx(plain.item(), abs=1e-4)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_gradients_are_finite_at_the_ends(sign):
    margin = ArcFace(2, 3, margin=0.5)
    with torch.no_grad():
        margin.centres.copy_(torch.eye(3)[:2])
    vectors = (sign * torch.eye(3)[:1]).requires_grad_()
    margin.loss(vectors, torch.tensor([0])).backward()
    assert torch.isfinite(vectors.grad).all() and torch.isfinite(margin.centres.grad).all()


def test_the_target_logit_falls_with_the_angle_even_past_the_fold():
    margin = ArcFace(2, 2, scale=1, margin=0.5)
    with torch.no_grad():
        margin.centres.copy_(torch.eye(2))
    angles = torch.linspace(0, math.pi - 1e-3, 200)
    vectors = torch.stack([angles.cos(), angles.sin()], dim=1)
    target = margin.logits(vectors, torch.zeros(200, dtype=torch.long))[:, 0]
    assert (target.diff() <= 1e-4).all()
