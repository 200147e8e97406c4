"""Every head takes every margin; sub-centres and samples of centres are what they say."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from pytorch_metric_learning import losses as reference
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.heads import HEADS, PartialFC, Plain, SubCenter, make_head, make_term
from handshift.embedding.train.margins import MARGINS, make_margin

CLASSES, DIMENSIONS = 20, 8
CLOSE: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture
def features():
    torch.manual_seed(0)
    return torch.randn(12, DIMENSIONS, requires_grad=True)


@pytest.fixture
def labels():
    return torch.tensor([0, 3, 3, 19, 7, 7, 7, 1, 2, 4, 0, 19])


def gradients(loss, *leaves):
    return loss.detach(), *torch.autograd.grad(loss, leaves)


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("head", HEADS)
def test_each_head_learns_with_each_margin(head, margin, features, labels):
    head = make_head(head, CLASSES, DIMENSIONS, make_margin(margin, CLASSES))
    parameters = [features, *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.05)
    first = head.loss(features, labels)
    for _ in range(20):
        optimizer.zero_grad()
        loss = head.loss(features, labels)
        loss.backward()
        assert all(torch.isfinite(p.grad).all() for p in parameters)
        optimizer.step()
    assert loss < first


@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("head", HEADS)
def test_the_loss_is_the_cross_entropy_of_the_logits(head, margin, features, labels):
    head = make_head(head, CLASSES, DIMENSIONS, make_margin(margin, CLASSES)).eval()
    ours = gradients(head.loss(features, labels), features, head.centres)
    theirs = gradients(F.cross_entropy(head.logits(features, labels), labels), features, head.centres)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)


def test_logits_leave_running_statistics_as_they_are(features, labels):
    head = Plain(CLASSES, DIMENSIONS, make_margin("curricularface", CLASSES))
    head.logits(features, labels)
    assert head.margin.hardness == 0
    head.eval().loss(features, labels)
    assert head.margin.hardness == 0


def test_sub_center_agrees_with_pytorch_metric_learning(features, labels):
    margin = make_margin("arcface", CLASSES, scale=30.0, margin=math.radians(28.6))
    head = SubCenter(CLASSES, DIMENSIONS, margin, centres=3)
    peer = reference.SubCenterArcFaceLoss(num_classes=CLASSES, embedding_size=DIMENSIONS, scale=30)
    peer.W = torch.nn.Parameter(head.centres.detach().transpose(0, 1).flatten(0, 1).T.clone())
    ours = gradients(head.loss(features, labels), features, head.centres)
    value, to_features, to_centres = gradients(peer(features, labels), features, peer.W)
    by_class = to_centres.T.unflatten(0, (CLASSES, 3)).transpose(0, 1)
    for mine, other in zip(ours, (value, to_features, by_class), strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)


def test_softmax_pooling_weighs_near_centres_most(features, labels):
    head = SubCenter(
        CLASSES, DIMENSIONS, make_margin("normalised-softmax", CLASSES, scale=5.0), pooling="softmax"
    )
    logits = head.logits(features, labels)
    for i, j in [(0, 0), (5, 11)]:
        near = head.directions()[j] @ F.normalize(features[i], dim=0)
        weights = torch.exp(10 * near) / torch.exp(10 * near).sum()
        assert logits[i, j].item() == pytest.approx(5 * (weights * near).sum().item(), abs=1e-5)


@pytest.mark.parametrize(("name", "shape"), [("plain", ()), ("sub-center", (3,)), ("partial-fc", ())])
def test_directions_are_unit_rows_by_class(name, shape, features, labels):
    head = make_head(name, CLASSES, DIMENSIONS, make_margin("normalised-softmax", CLASSES, scale=1.0))
    directions = head.directions()
    assert directions.shape == (CLASSES, *shape, DIMENSIONS)
    torch.testing.assert_close(directions.norm(dim=-1), torch.ones(CLASSES, *shape))
    cosine = (directions @ F.normalize(features[1], dim=0)).reshape(CLASSES, -1).amax(dim=1)
    torch.testing.assert_close(head.logits(features, labels)[1], cosine)


@pytest.mark.parametrize("margin", MARGINS)
def test_partial_fc_of_everything_is_the_plain_head(margin, features, labels):
    plain = Plain(CLASSES, DIMENSIONS, make_margin(margin, CLASSES))
    partial = PartialFC(CLASSES, DIMENSIONS, make_margin(margin, CLASSES), sample=1.0)
    partial.load_state_dict(plain.state_dict())
    ours = gradients(partial.loss(features, labels), features, partial.centres)
    theirs = gradients(plain.loss(features, labels), features, plain.centres)
    for mine, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(mine, other)


@pytest.mark.parametrize(("sample", "count"), [(0.5, 10), (9, 9), (0.01, 7)])
def test_partial_fc_samples_the_batchs_classes_and_as_many_others_as_asked_for(
    sample, count, features, labels
):
    head = PartialFC(CLASSES, DIMENSIONS, make_margin("arcface", CLASSES), sample=sample)
    seen = torch.zeros(CLASSES)
    for _ in range(100):
        head.zero_grad()
        head.loss(features, labels).backward()
        touched = head.centres.grad.abs().sum(dim=1) > 0
        assert touched.sum() == count and touched[labels].all()
        seen += touched
    assert (seen[5:7] > 0).all() or count == 7  # classes outside the batch take their turns


def test_partial_fc_is_the_cross_entropy_over_the_sampled_columns(features, labels):
    head = PartialFC(CLASSES, DIMENSIONS, make_margin("cosface", CLASSES), sample=0.5)
    loss = head.loss(features, labels)
    loss.backward()
    sampled = head.centres.grad.abs().sum(dim=1).nonzero()[:, 0]
    logits = head.logits(features, labels)[:, sampled]
    wanted = F.cross_entropy(logits, torch.searchsorted(sampled, labels))
    torch.testing.assert_close(loss, wanted, **CLOSE)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks:UserWarning")
def test_a_sparse_step_moves_only_sampled_centres(features, labels):
    torch.manual_seed(1)
    dense = PartialFC(CLASSES, DIMENSIONS, make_margin("adaface", CLASSES), sample=0.5)
    sparse = PartialFC(CLASSES, DIMENSIONS, make_margin("adaface", CLASSES), sample=0.5, sparse=True)
    sparse.load_state_dict(dense.state_dict())
    for head in (dense, sparse):
        torch.manual_seed(2)
        head.loss(features, labels).backward()
    assert sparse.centres.grad.is_sparse
    torch.testing.assert_close(sparse.centres.grad.to_dense(), dense.centres.grad)
    before = sparse.centres.detach().clone()
    torch.optim.SparseAdam([sparse.centres]).step()
    moved = (sparse.centres != before).any(dim=1)
    assert torch.equal(moved, dense.centres.grad.abs().sum(dim=1) > 0)


@pytest.mark.parametrize("name", HEADS)
def test_intra_and_inter_terms_add_mean_angles_in_half_turns(name, features, labels):
    torch.manual_seed(3)
    settings: dict[str, dict[str, Any]] = {"sub-center": {"centres": 1}, "partial-fc": {"sample": 1.0}}
    options = settings.get(name, {})
    terms = [make_term("intra", weight=0.5), make_term("inter", weight=2.0)]
    head = make_head(name, CLASSES, DIMENSIONS, make_margin("arcface", CLASSES), terms=terms, **options)
    with_terms = gradients(head.loss(features, labels), features, head.centres)
    head.terms = ()
    loss, unit = head.loss(features, labels), F.normalize(features)
    centres = F.normalize(head.centres.reshape(CLASSES, DIMENSIONS))
    for i, label in enumerate(labels):
        loss = loss + 0.5 * torch.arccos(unit[i] @ centres[label]) / math.pi / len(labels)
        for j in set(range(CLASSES)) - {int(label)}:
            apart = torch.arccos(centres[label] @ centres[j]) / math.pi
            loss = loss - 2.0 * apart / len(labels) / (CLASSES - 1)
    for mine, other in zip(with_terms, gradients(loss, features, head.centres), strict=True):
        torch.testing.assert_close(mine, other, **CLOSE)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: make_head("plane", 5, 3, m), "no head 'plane'.*plain, sub-center, partial-fc"),
        (lambda m: make_head("plain", 5, 3, m, sample=1), "no option 'sample'.*terms"),
        (lambda m: make_term("outer"), "no term 'outer'.*intra, inter"),
        (lambda m: SubCenter(5, 3, m, pooling="mean"), "no pooling 'mean'.*max, softmax"),
        (lambda m: SubCenter(5, 3, m, centres=0), "at least one centre"),
        (lambda m: PartialFC(5, 3, m, sample=0), "more than 0"),
        (lambda m: Plain(1, 3, m), "at least 2 classes"),
        (lambda m: Plain(5, 3, make_margin("softmax", 5), [make_term("intra")]), "normalised-softmax"),
        (lambda m: Plain(5, 3, m).loss(torch.ones(1, 3), torch.tensor([5])), "Label 5 is not among the 5"),
        (lambda m: PartialFC(5, 3, m).loss(torch.ones(1, 3), torch.tensor([-1])), "Label -1"),
        (lambda m: Plain(5, 3, m).loss(torch.ones(0, 3), torch.ones(0).long()), "batch is empty"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(call, message):
    with pytest.raises(HandshiftError, match=message):
        call(make_margin("arcface", 5))
