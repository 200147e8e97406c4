"""Pair and set losses agree with their formulas, and miners with the triplets they promise."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from pytorch_metric_learning import losses as reference
from pytorch_metric_learning import miners as reference_miners
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.embedding.train.pair_losses import PAIR_LOSSES, make_pair_loss
from handshift.embedding.train.pair_losses.pair_loss import MINERS, candidates, euclidean

CLOSE: dict[str, Any] = {"rtol": 1e-5, "atol": 1e-5}
LABELS = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])


@pytest.fixture
def features():
    torch.manual_seed(0)
    # Two for each direction, so that some triplets already hold and some do not.
    return (torch.randn(10, 6) + 1.5 * torch.randn(4, 6)[LABELS]).requires_grad_()


def check(ours, theirs, features):
    for loss, other in [(ours, theirs), (gradient(ours, features), gradient(theirs, features))]:
        torch.testing.assert_close(loss, other.to(loss.dtype), **CLOSE)


def gradient(loss, features):
    return torch.autograd.grad(loss, features, retain_graph=True)[0]


REFERENCES = [
    ("contrastive", {"power": 1.0}, reference.ContrastiveLoss()),
    ("contrastive", {"power": 1.0, "margin": 0.6}, reference.ContrastiveLoss(neg_margin=0.6)),
    ("triplet", {"margin": 0.3}, reference.TripletMarginLoss(margin=0.3)),
    ("tuplet", {"margin": math.radians(5.73)}, reference.TupletMarginLoss()),
    ("tuplet", {"margin": math.radians(15), "scale": 10.0}, reference.TupletMarginLoss(margin=15, scale=10)),
]


@pytest.mark.parametrize(("name", "options", "peer"), REFERENCES)
def test_value_and_gradient_agree_with_pytorch_metric_learning(name, options, peer, features):
    check(make_pair_loss(name, **options).loss(features, LABELS), peer(features, LABELS), features)


@pytest.mark.parametrize(
    ("miner", "peer"),
    [
        ("semi-hard", reference_miners.TripletMarginMiner(margin=0.3, type_of_triplets="semihard")),
        ("hard", reference_miners.BatchHardMiner()),
    ],
)
def test_mined_triplets_agree_with_pytorch_metric_learning(miner, peer, features):
    unit = F.normalize(features)
    mined = MINERS[miner](euclidean(unit), *candidates(LABELS), 0.3)
    theirs = {tuple(row) for row in torch.stack(peer(features, LABELS)).T.tolist()}
    assert {tuple(row) for row in mined.nonzero().tolist()} == theirs
    ours = make_pair_loss("triplet", margin=0.3, miner=miner).loss(features, LABELS)
    check(ours, reference.TripletMarginLoss(margin=0.3)(features, LABELS, peer(features, LABELS)), features)


def pairs_by_hand(unit, groups=None):
    for a in range(len(LABELS)):
        for b in range(len(LABELS)):
            same = LABELS[a] == LABELS[b]
            if a != b and not (same and groups is not None and groups[a] == groups[b]):
                yield a, b, bool(same), unit[a] @ unit[b]


def mean_above_zero(losses):
    active = [loss for loss in losses if loss > 0]
    return sum(active) / len(active)


def test_the_siamese_loss_squares_distances(features):
    unit = F.normalize(features.double())
    distances = [(same, torch.sqrt(2 - 2 * cosine)) for _, _, same, cosine in pairs_by_hand(unit)]
    near = mean_above_zero([d**2 for same, d in distances if same])
    far = mean_above_zero([torch.relu(0.9 - d) ** 2 for same, d in distances if not same])
    check(make_pair_loss("contrastive", margin=0.9).loss(features, LABELS), near + far, features)


@pytest.mark.parametrize("groups", [None, torch.tensor([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])])
def test_the_angular_triplet_compares_arccosines_and_takes_positives_across_groups(groups, features):
    pairs = list(pairs_by_hand(F.normalize(features.double()), groups))
    wanted = mean_above_zero(
        [
            torch.relu(torch.arccos(near) + 0.4 - torch.arccos(far))
            for a, _, same, near in pairs
            for b, _, also, far in pairs
            if a == b and same and not also
        ]
    )
    ours = make_pair_loss("angular-triplet", margin=0.4).loss(features, LABELS, groups)
    check(ours, wanted, features)


def test_groups_keep_pairs_of_one_session_out_of_every_loss(features):
    groups = torch.zeros(10, dtype=torch.long)
    for name in ("triplet", "angular-triplet", "tuplet"):
        assert make_pair_loss(name).loss(features, LABELS, groups) == 0
    positive, negative = candidates(LABELS, LABELS * 0 + torch.arange(10) % 2)
    assert not positive[0, 2] and positive[0, 1] and not positive.diagonal().any()
    assert torch.equal(negative, LABELS[:, None] != LABELS)


@pytest.mark.parametrize("miner", MINERS)
@pytest.mark.parametrize("name", PAIR_LOSSES)
def test_each_loss_learns_with_each_miner(name, miner, features):
    loss = make_pair_loss(name, miner=miner)
    optimizer = torch.optim.Adam([features], lr=0.05)
    first = make_pair_loss(name).loss(features, LABELS).item()
    for _ in range(30):
        optimizer.zero_grad()
        loss.loss(features, LABELS).backward()
        optimizer.step()
    assert make_pair_loss(name).loss(features, LABELS).item() < first


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("miner", MINERS)
@pytest.mark.parametrize("name", PAIR_LOSSES)
def test_equal_and_opposite_features_give_finite_gradients(name, miner, dtype):
    features = torch.tensor([[1, 0], [1, 0], [-1, 0], [1, 0], [0, 0]], dtype=dtype, requires_grad=True)
    loss = make_pair_loss(name, miner=miner).loss(features, torch.tensor([0, 0, 0, 1, 1]))
    assert torch.isfinite(loss) and torch.isfinite(gradient(loss, features)).all()


@pytest.mark.parametrize("labels", [[0, 1, 2], [5, 5, 5]])
@pytest.mark.parametrize("miner", MINERS)
@pytest.mark.parametrize("name", PAIR_LOSSES)
def test_a_batch_with_nothing_to_compare_has_finite_loss_and_gradient(name, miner, labels):
    features = torch.randn(3, 4, requires_grad=True)
    loss = make_pair_loss(name, miner=miner).loss(features, torch.tensor(labels))
    loss.backward()
    assert torch.isfinite(loss) and features.grad is not None and torch.isfinite(features.grad).all()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("quadruplet", {}, "no pair loss 'quadruplet'.*contrastive, triplet, angular-triplet, tuplet"),
        ("triplet", {"miner": "soft"}, "no miner 'soft'.*all, semi-hard, hard"),
        ("triplet", {"scale": 3}, "no option 'scale'.*margin, miner"),
    ],
)
def test_a_wrong_name_is_refused_with_the_right_ones(name, options, message):
    with pytest.raises(HandshiftError, match=message):
        make_pair_loss(name, **options)
