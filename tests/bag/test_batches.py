"""Batches come back from their number alone."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.bag.bagset import BagSet
from handshift.bag.batches import FixedBatches, FreshBatches
from handshift.bag.draw import Drawer
from handshift.bag.pages import pages_of
from handshift.bag.plan import Kind, Plan
from handshift.core.errors import HandshiftError


@pytest.fixture
def fresh(words):
    plan = Plan(14, foreign=(1, 4), kinds={Kind.SINGLE: 1, Kind.SPLICED: 1, Kind.MIXED: 2})
    return lambda seed: FreshBatches(Drawer(pages_of(words, "abcdef"), plan), 32, seed)


@pytest.fixture
def bags():
    label = np.arange(50) % 5 == 0
    return BagSet(np.arange(50), np.arange(51), label, label, ["a"] * 50, label.astype(str))


def test_fresh_bags_depend_on_seed_and_number_alone(fresh):
    forwards = [fresh(7).batch(index).signed for index in range(4)]
    one = fresh(7)
    backwards = [one.batch(index).signed for index in (3, 2, 1, 0)][::-1]
    assert all((a == b).all() for a, b in zip(forwards, backwards, strict=True))
    assert (forwards[0] != forwards[1]).any() and (forwards[0] != fresh(8).batch(0).signed).any()


def test_half_of_each_fresh_batch_is_mixed(fresh):
    for index in range(3):
        assert np.count_nonzero(fresh(1).batch(index).label) == 16


def test_half_of_each_batch_of_a_fixed_set_is_mixed(bags):
    batches = FixedBatches(bags, 8, seed=1)
    for index in range(20):
        assert batches.batch(index).label.tolist() == [True] * 4 + [False] * 4


def test_each_bag_of_a_class_has_its_turn_before_any_returns(bags):
    batches = FixedBatches(bags, 8, seed=1)
    order = np.array([batches.indices(index) for index in range(10)])
    mixed, single = order[:, :4].ravel(), order[:, 4:].ravel()
    for turn in range(4):
        assert set(mixed[10 * turn : 10 * turn + 10]) == set(np.flatnonzero(bags.label))
    assert set(single) == set(np.flatnonzero(~bags.label))
    assert mixed[:10].tolist() != mixed[10:20].tolist()


def test_batches_of_a_fixed_set_depend_on_seed_and_number_alone(bags):
    def order(seed, numbers):
        batches = FixedBatches(bags, 8, seed)
        return {number: batches.indices(number).tolist() for number in numbers}

    assert order(1, range(30)) == order(1, reversed(range(30))) != order(2, range(30))


def test_a_batch_larger_than_a_class_takes_it_more_than_once(bags):
    assert np.bincount(FixedBatches(bags, 40, 1).indices(3)[:20]).max() == 2


def test_a_set_of_one_class_makes_no_balanced_batches(bags):
    with pytest.raises(HandshiftError, match="both classes"):
        FixedBatches(bags.take(bags.label), 8, 1)
