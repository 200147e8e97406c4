"""The source's bags are made as the source makes them, mistakes and all."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.bag.bagset import BagSet
from handshift.bag.pages import Key, documents_of
from handshift.bag.rebalance import rebalanced
from handshift.bag.source_protocol import source_bags
from handshift.core.errors import HandshiftError


@pytest.fixture(scope="module")
def bags(words):
    return source_bags(documents_of(words, "abcdef", Key.SESSION), np.random.default_rng(1))


def test_a_bag_is_ten_instances_of_five_consecutive_words(bags):
    assert bags.width == 5 and set(bags.sizes) == {50}
    assert (np.diff(bags.rows.reshape(-1, 10, 5), axis=2) == 1).all()


def test_a_single_bag_is_ten_consecutive_instances_of_one_session(bags, words):
    rows = bags.rows.reshape(-1, 10, 5)[~bags.label]
    assert (np.diff(rows, axis=1) == 1).all()
    assert not bags.foreign.reshape(-1, 50)[~bags.label].any()
    for bag in bags.take(~bags.label):
        names = zip(words.writer[bag.rows], words.session[bag.rows], strict=True)
        assert {f"{writer}/{session}" for writer, session in names} == {bag.key}


def test_five_and_ten_percent_both_replace_one_instance(bags):
    replaced = bags.foreign.reshape(-1, 10, 5)
    assert (replaced.all(axis=2) == replaced.any(axis=2)).all()
    for share, instances in ((0.05, 1), (0.1, 1), (0.2, 2), (0.3, 3)):
        assert (replaced.any(axis=2).sum(axis=1)[bags.share == share] == instances).all()


def test_replaced_instances_are_of_one_other_writer(bags, words):
    for bag in bags.take(bags.label):
        others = set(words.writer[bag.rows[bag.foreign]])
        assert len(others) == 1 and bag.writer not in others


def test_classes_are_one_to_two_and_shares_equal(bags):
    single = np.count_nonzero(~bags.label)
    assert single == 18 * 8 and np.count_nonzero(bags.label) == 2 * single
    shares, often = np.unique(bags.share[bags.label], return_counts=True)
    assert shares.tolist() == [0.05, 0.1, 0.2, 0.3] and np.ptp(often) == 0


def test_single_bags_do_not_overlap_by_instances(bags):
    first = bags.rows.reshape(-1, 10, 5)[~bags.label][:, :, 0]
    assert np.unique(first).size == first.size


def test_the_sources_bags_need_two_writers(words):
    with pytest.raises(HandshiftError, match="two writers"):
        source_bags(documents_of(words, "a", Key.SESSION), np.random.default_rng(1))


def labelled(shares):
    count = len(shares)
    label = np.array(shares) > 0
    return BagSet(
        np.arange(count), np.arange(count + 1), label, label, ["a"] * count, label.astype(str), share=shares
    )


@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0, 4.0])
def test_any_proportion_of_classes_can_be_had(bags, ratio):
    found = rebalanced(bags, ratio, np.random.default_rng(2))
    mixed, single = np.count_nonzero(found.label), np.count_nonzero(~found.label)
    assert mixed == round(ratio * single) and (mixed == 288 or single == 144)


def test_shares_stay_as_equal_as_they_can():
    bags = labelled([0.0] * 9 + [0.1] * 2 + [0.2] * 30 + [0.3] * 30)
    found = rebalanced(bags, 2, np.random.default_rng(3))
    assert np.unique(found.share[found.label], return_counts=True)[1].tolist() == [2, 8, 8]
    assert (np.diff(found.rows) > 0).all()


def test_one_class_alone_is_not_balanced():
    with pytest.raises(HandshiftError, match="one class"):
        rebalanced(labelled([0.0] * 4), 1, np.random.default_rng(0))
