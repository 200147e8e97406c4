"""Hands are linked across pages by one model of "same person or not", under a prior that is stated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_hands import CALIBRATION, DIMENSIONS, MODEL

from handshift.attribution.gibbs_sampler import GibbsSampler
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.hand_links import links_of, pairs_of
from handshift.attribution.page_hands import analyse_page
from handshift.attribution.page_linking import VectorPage, link_pages
from handshift.attribution.partition_prior import PartitionPrior
from handshift.attribution.same_writer import LN10, SameWriter
from handshift.attribution.writer_clustering import cluster_writers
from handshift.calibration.pair_calibration import (
    BoundedLine,
    PairCalibration,
    PairPropositions,
    SizedLine,
    Tail,
    words_of_pair,
)
from handshift.core.errors import HandshiftError
from handshift.detect.plda import log_ratios
from handshift.embedding.prototypes import Prototypes, prototypes
from handshift.metrics import pairwise_f1

SIZES = (
    SizedLine(5.0, BoundedLine(0.30, -0.1, -1.0, 1.0), Tail(0.0, 0.5)),
    SizedLine(40.0, BoundedLine(0.25, -0.2, -2.0, 2.0), Tail(0.0, 0.7)),
)
SAME = SameWriter.of(MODEL, PairCalibration("m", PairPropositions("one", "two", "us"), SIZES))
EVEN = PartitionPrior(0.5)


def hands(truth: np.ndarray, words: float, seed: int) -> Prototypes:
    rng = np.random.default_rng(seed)
    people = rng.normal(0, np.sqrt(1.5), (int(truth.max()) + 1, DIMENSIONS))
    means = people[truth] + rng.normal(0, np.sqrt(0.15 + 1 / words), (truth.size, DIMENSIONS))
    return Prototypes(means, np.full(truth.size, words))


def document(pages: list[list[int]], seed: int) -> list[VectorPage]:
    """Pages of these hands, read each by itself."""
    rng = np.random.default_rng(seed)
    people = rng.normal(0, np.sqrt(1.5), (max(map(max, pages)) + 1, DIMENSIONS))
    found = []
    for own in pages:
        days = rng.normal(0, np.sqrt(0.15), people.shape)
        page = (people + days)[own] + rng.normal(0, 1, (len(own), DIMENSIONS))
        found.append(VectorPage(analyse_page(page, MODEL, CALIBRATION), page))
    return found


def numbered(page: VectorPage, *number: float) -> VectorPage:
    """The page with another posterior of its number of hands."""
    shares = np.array([*number, *[0.0] * (5 - len(number))])
    return replace(page, analysed=replace(page.analysed, number=shares))


def test_on_two_pages_and_even_prior_the_sign_of_the_link_is_that_of_the_pair():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        pair = hands(np.array([0, int(rng.integers(2))]), float(rng.integers(3, 60)), seed)
        score = log_ratios(pair[:1], pair[1:], MODEL)
        weight = SAME.calibration.weight(score, words_of_pair(pair.counts[:1], pair.counts[1:]))[0]
        evidence = GroupEvidence(SAME, pair)
        assert evidence.of(np.ones((1, 2), bool))[0] == pytest.approx(weight * LN10)
        assert (cluster_writers(evidence, EVEN).labels[1] == 0) == (weight > 0)


def test_a_pair_has_the_ratio_that_verify_gives_it():
    rng = np.random.default_rng(0)
    one, two = rng.normal(0, 1, (30, DIMENSIONS)), rng.normal(0.2, 1, (12, DIMENSIONS))
    found = SAME.ratios(SAME.side([one]), SAME.side([two]))
    sets = prototypes([one, two])
    score = log_ratios(sets[:1], sets[1:], MODEL)
    assert found.score[0] == pytest.approx(score[0])
    size = words_of_pair(sets.counts[:1], sets.counts[1:])
    assert found.log10_lr[0] == pytest.approx(SAME.calibration.log10_lr(score, size)[0])
    assert GroupEvidence(SAME, sets).pairs()[0, 1] == pytest.approx(found.log10_lr[0])


def test_several_pages_of_a_person_are_scored_by_their_joint_density():
    from scipy.stats import multivariate_normal

    group = hands(np.array([0, 0, 0]), 20.0, 1)
    noise = 0.15 + 1 / 20
    joint = multivariate_normal(np.zeros(3), noise * np.eye(3) + 1.5)
    alone = multivariate_normal(0, noise + 1.5)
    expected = sum(joint.logpdf(x) - sum(alone.logpdf(one) for one in x) for x in group.means.T)
    every = SAME.sums(group).grouped(np.ones((1, 3), bool))
    assert SAME.score(every)[0] == pytest.approx(expected)


def test_hands_are_linked_across_pages_of_any_number():
    for count in (6, 20):
        truth = np.random.default_rng(count).integers(3, size=count)
        found = cluster_writers(GroupEvidence(SAME, hands(truth, 40.0, 4)), EVEN)
        assert pairwise_f1(truth, found.labels) == 1
        assert found.number.sum() == pytest.approx(1)
        assert found.number.argmax() + 1 == np.unique(truth).size


def test_the_sampler_agrees_with_comparing_every_partition():
    evidence = GroupEvidence(SAME, hands(np.array([0, 0, 1, 1, 2, 0, 3]), 4.0, 11))
    every = cluster_writers(evidence, EVEN)
    sampler = GibbsSampler(evidence, EVEN)
    sampler.agglomerate()
    labels, together, number = sampler.run()
    assert labels.tolist() == every.labels.tolist()
    assert np.abs(together - every.together).max() < 0.25
    assert np.abs(number - every.number).max() < 0.25


def test_the_prior_turns_a_weak_link_and_the_document_says_so():
    pair = hands(np.array([0, 0]), 5.0, 2)
    evidence = GroupEvidence(SAME, pair)
    weight = evidence.of(np.ones((1, 2), bool))[0]
    assert weight > 0
    against = PartitionPrior(1 / (1 + np.exp(weight + 0.1)))
    labels = cluster_writers(evidence, against).labels
    assert labels.tolist() == [0, 1]
    (one, two) = links_of(evidence, labels, np.array([0, 1]), ["A", "B"], np.ones(2))
    assert one.turned and two.turned and not one.linked and one.to == "B"
    (between,) = pairs_of(evidence.pairs(), np.array([0, 1]), ["A", "B"], np.ones(2))
    assert between.turned and between.log10_lr > 0


def test_hands_of_one_page_stay_apart_as_firmly_as_the_page_says():
    pair = hands(np.array([0, 0]), 20.0, 2)
    firm = np.array([[0.0, 30.0], [30.0, 0.0]])
    assert cluster_writers(GroupEvidence(SAME, pair), EVEN).labels.tolist() == [0, 0]
    assert cluster_writers(GroupEvidence(SAME, pair, firm), EVEN).labels.tolist() == [0, 1]
    many = hands(np.zeros(10, int), 20.0, 2)
    apart = np.zeros((10, 10))
    apart[0, 1] = apart[1, 0] = 60.0
    labels = cluster_writers(GroupEvidence(SAME, many, apart), EVEN).labels
    assert labels[0] != labels[1] and len(set(labels)) == 2


def test_a_hand_that_the_document_does_not_know_needs_better_evidence_than_one_it_knows():
    pages = document([[0] * 40, [0] * 40, [1] * 40, [0] * 30 + [2] * 10], seed=3)
    linked = link_pages([*pages[:-1], numbered(pages[-1], 0.3, 0.7)], SAME, EVEN)
    assert linked.hands[-1].hands == 1 and len(set(linked.clusters.labels)) == 2
    linked = link_pages([*pages[:-1], numbered(pages[-1], 1e-6, 1 - 1e-6)], SAME, EVEN)
    assert linked.hands[-1].hands == 2 and len(set(linked.clusters.labels)) == 3
    known = document([[0] * 40, [0] * 40, [1] * 40, [0] * 30 + [1] * 10], seed=3)
    linked = link_pages([*known[:-1], numbered(known[-1], 0.3, 0.7)], SAME, EVEN)
    assert linked.hands[-1].hands == 2 and len(set(linked.clusters.labels)) == 2


def test_the_prior_of_the_number_of_writers_sums_its_partitions():
    prior = PartitionPrior(0.3)
    assert prior.writers(2) == pytest.approx([0.3, 0.7])
    assert prior.writers(7).sum() == pytest.approx(1)
    total = np.exp(prior.log([3])) + 3 * np.exp(prior.log([2, 1])) + np.exp(prior.log([1, 1, 1]))
    assert total == pytest.approx(1)
    assert prior.writers(3)[1] == pytest.approx(3 * np.exp(prior.log([2, 1])))
    with pytest.raises(HandshiftError, match="between 0 and 1"):
        PartitionPrior(1.0)
