"""AB-MIL, gated AB-MIL, DS-MIL and CLAM give torchmil's outputs with torchmil's weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

torchmil = pytest.importorskip("torchmil.models")

from handshift.detect.mil import AbMil, ClamSb, DsMil, GatedAbMil  # noqa: E402
from handshift.detect.mil.ab_mil import GatedAttention  # noqa: E402

DIMS, HIDDEN = 12, 16


def some_bags(words: int = 9) -> tuple[Tensor, Tensor]:
    """Three bags, the last of them padded."""
    torch.manual_seed(3)
    mask = torch.ones(3, words, dtype=torch.bool)
    mask[2, 6:] = False
    return torch.randn(3, words, DIMS), mask


def copy(source: Any, target: Any) -> None:
    target = getattr(target, "module", target)  # torchmil wraps some layers
    target.weight.copy_(source.weight)
    if target.bias is not None:
        target.bias.copy_(source.bias)


def copy_gated(source: GatedAttention, pool: Any) -> None:
    copy(source.turn, pool.fc1)
    copy(source.gate, pool.fc_gated)
    copy(source.weigh, pool.fc2)


@torch.no_grad()
@pytest.mark.parametrize("gated", [False, True])
def test_ab_mil_on_single_words_is_torchmil_s(gated: bool) -> None:
    """The source has no layer before the tanh, and a ReLU before the classifier: identity, and the ReLU."""
    words, mask = some_bags()
    ours = (GatedAbMil if gated else AbMil)(DIMS, HIDDEN, width=1).eval()
    theirs = torchmil.ABMIL((DIMS,), HIDDEN, gated=gated, feat_ext=nn.Sequential(ours.standard, ours.embed))
    if isinstance(ours.attend, GatedAttention):
        copy_gated(ours.attend, theirs.pool)
    else:
        identity = nn.Linear(HIDDEN, HIDDEN)
        identity.weight.copy_(torch.eye(HIDDEN))
        identity.bias.zero_()
        copy(identity, theirs.pool.fc1)
        copy(ours.attend.weigh, theirs.pool.fc2)
    theirs.classifier = ours.classify
    logit, attention = theirs(words, mask, return_att=True)
    output = ours(words, mask)
    assert torch.allclose(output.logit, logit, atol=1e-4)
    weights = torch.softmax(attention.masked_fill(~mask, -1e9), dim=1)
    assert torch.allclose(output.contribution, weights, atol=1e-4)


@torch.no_grad()
def test_ds_mil_is_torchmil_s_with_a_nonlinear_query() -> None:
    words, _ = some_bags()
    whole = torch.ones(
        words.shape[:2], dtype=torch.bool
    )  # torchmil looks for its critical instance in padding too
    ours = DsMil(DIMS, HIDDEN).eval()
    embed = nn.Sequential(ours.standard, ours.embed)
    theirs = torchmil.DSMIL((DIMS,), HIDDEN, nonlinear_q=True, feat_ext=embed).eval()
    theirs.q_nn, theirs.inst_classifier, theirs.bag_classifier = (
        ours.query,
        ours.instance_classifier,
        ours.classify,
    )
    logit, instances = theirs.predict(words, whole, return_inst_pred=True)
    output = ours(words, whole)
    assert torch.allclose(output.logit, logit, atol=1e-4)
    assert (instances.argmax(dim=1) == ours.instance_classifier(embed(words)).squeeze(-1).argmax(dim=1)).all()
    label = torch.tensor([1.0, 0.0, 1.0])
    losses = theirs.compute_loss(label, words, whole)[1]
    assert torch.allclose(2 * ours.loss(words, whole, label)[0], sum(losses.values()), atol=1e-4)


@torch.no_grad()
def test_clam_is_torchmil_s_in_the_forward_pass() -> None:
    """The instance losses differ: cross-entropy here, a smooth SVM and an out-of-class term there."""
    words, mask = some_bags()
    ours = ClamSb(DIMS, HIDDEN).eval()
    embed = nn.Sequential(ours.standard, ours.embed)
    theirs = torchmil.CLAM_SB((DIMS,), HIDDEN, gated=True, feat_ext=embed).eval()
    copy_gated(ours.attend, theirs.pool)
    copy(ours.classify, theirs.classifier)
    logit, attention = theirs(words, mask, return_att=True)
    output = ours(words, mask)
    assert torch.allclose(output.logit, logit, atol=1e-4)
    weights = torch.softmax(attention.masked_fill(~mask, -1e9), dim=1)
    assert torch.allclose(output.contribution, weights, atol=1e-4)
