"""The margin loss within databases, on words and on groups of them."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from handshift.embedding.train.group_objective import GroupObjective, pooled
from handshift.embedding.train.heads.plain_head import Plain
from handshift.embedding.train.heads.within import Within
from handshift.embedding.train.margins import make_margin
from handshift.embedding.train.page_pen import PagePen


def features(count: int = 8, dimensions: int = 6) -> torch.Tensor:
    return torch.randn(count, dimensions, generator=torch.Generator().manual_seed(1), requires_grad=True)


def head(database: list[int], centres: int = 1) -> Within:
    torch.manual_seed(0)
    return Within(database, 6, make_margin("arcface", len(database), margin=0.2, scale=8.0), centres=centres)


def test_with_one_database_it_is_the_plain_softmax() -> None:
    within = head([0] * 5)
    plain = Plain(5, 6, make_margin("arcface", 5, margin=0.2, scale=8.0))
    plain.centres.data = within.centres.data[0]
    labels = torch.tensor([0, 1, 2, 3, 4, 0, 1, 2])
    assert within.loss(features(), labels).item() == pytest.approx(
        plain.loss(features(), labels).item(), 1e-5
    )


def test_writers_of_another_database_do_not_compete() -> None:
    within = head([0, 0, 0, 1, 1])
    within.loss(features(3), torch.tensor([0, 1, 2])).backward()
    assert within.centres.grad is not None
    assert (within.centres.grad[0, 3:] == 0).all()
    assert (within.centres.grad[0, :3] != 0).all()


def test_a_lone_writer_of_a_database_costs_nothing() -> None:
    assert head([0, 0, 1]).loss(features(2), torch.tensor([2, 2])).item() == pytest.approx(0, abs=1e-6)


def test_pooling_is_the_mean_of_unit_rows() -> None:
    rows = features(4)
    unit = rows / rows.norm(dim=1, keepdim=True)
    expected = torch.stack([(unit[0] + unit[1]) / 2, (unit[2] + unit[3]) / 2])
    assert torch.allclose(pooled(rows, 2), expected)


def test_the_loss_is_that_of_words_and_the_weighted_mean_of_groups() -> None:
    within, labels = head([0] * 3, centres=2), torch.tensor([0, 0, 0, 0, 2, 2, 2, 2])
    loss, values = GroupObjective(within, (2, 4), 0.5)(features(), labels, 1.0)
    of_groups = [within.loss(pooled(features(), size), labels[::size]).item() for size in (2, 4)]
    assert loss.item() == pytest.approx(within.loss(features(), labels).item() + 0.25 * sum(of_groups), 1e-5)
    assert values["loss_4"] == pytest.approx(of_groups[1], 1e-5)


def test_triplets_pull_a_writers_pages_together_and_leave_other_databases_alone() -> None:
    within = head([0, 0, 1])
    words = torch.zeros(8, 6)
    words[0:2, 0] = words[2:4, 1] = 1.0  # two pages of writer 0 at right angles
    words[4:6, 2] = 1.0
    words[6:8, 0] = 1.0  # writer 2 of another database, as near as can be to writer 0
    words[4:6, 0] = 0.5  # writer 1
    labels = torch.tensor([0, 0, 0, 0, 1, 1, 2, 2])
    words.requires_grad_()
    plain, _ = GroupObjective(within, (2,), 0.5)(words, labels, 1.0)
    loss, values = GroupObjective(within, (2,), 0.5, triplets=2.0)(words, labels, 1.0)
    unit = F.normalize(words.detach()[::2], dim=1)
    apart = [float((unit[0] - unit[1]).norm() - (unit[anchor] - unit[2]).norm()) + 0.2 for anchor in (0, 1)]
    expected = sum(max(0.0, one) for one in apart) / sum(one > 0 for one in apart)
    assert values["loss_triplets"] == pytest.approx(expected, 1e-4)
    assert loss.item() == pytest.approx(plain.item() + 2 * expected, 1e-4)
    (gradient,) = torch.autograd.grad(loss - plain, words)
    assert (gradient[6:8] == 0).all()
    assert (gradient[0:4] != 0).any()


def test_without_margin_the_strength_is_zero_and_accuracy_is_among_the_own_database() -> None:
    within = head([0, 0, 1, 1])
    centres = F.normalize(within.centres.detach()[0], dim=1)
    objective = GroupObjective(within, (), 0.5)
    _, values = objective(centres[[0, 1, 2, 3]], torch.tensor([0, 1, 2, 3]), 0.0)
    assert within.margin.strength == 0
    assert values["accuracy"] == 1


def bar() -> np.ndarray:
    picture = np.zeros((64, 96), np.uint8)
    picture[20:44, 40:46] = 255
    return picture


def test_a_thicker_pen_leaves_more_ink_and_a_thinner_one_less() -> None:
    ink = [int(PagePen(thicker, 1.0, 1.0, 0.0)(bar()).sum()) for thicker in (-0.4, 0.0, 0.5, 1.5)]
    assert ink == sorted(ink)
    assert len(set(ink)) == 4


def test_at_strength_zero_the_page_keeps_its_pen() -> None:
    pens = [PagePen.drawn(np.random.default_rng(seed), 0.0) for seed in range(20)]
    assert all((pen(bar()) == bar()).all() for pen in pens)


def test_pens_differ_from_page_to_page() -> None:
    rng = np.random.default_rng(0)
    assert len({PagePen.drawn(rng, 1.0) for _ in range(20)}) == 20
