"""Hands are linked across pages by one model of "same person or not", under a prior that is stated."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import pytest
from test_hands import CALIBRATION, DIMENSIONS, MODEL

from handshift.attribution.calibrate_linking import SHARES, calibrate_linking
from handshift.attribution.group_evidence import GroupEvidence
from handshift.attribution.hand_links import links_of, pairs_of
from handshift.attribution.link_prior import LinkPrior, number_of_writers
from handshift.attribution.page_hands import analyse_page
from handshift.attribution.page_linking import VectorPage, link_pages
from handshift.attribution.same_writer import LN10, SameWriter
from handshift.attribution.writer_clustering import cluster_writers, most_probable_writers
from handshift.calibration.calibrate_pairs import calibrate_pairs
from handshift.calibration.calibration_data import CalibrationData
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
from handshift.detect.size_model import SizeModel
from handshift.embedding.crops.writing_size import with_sizes
from handshift.embedding.prototypes import Prototypes, prototypes
from handshift.metrics import pairwise_f1


@dataclass
class Table:
    page: np.ndarray
    writer: np.ndarray
    session: np.ndarray
    prompt: np.ndarray


SIZES = (
    SizedLine(5.0, BoundedLine(0.30, -0.1, -1.0, 1.0), Tail(0.0, 0.5)),
    SizedLine(40.0, BoundedLine(0.25, -0.2, -2.0, 2.0), Tail(0.0, 0.7)),
)
SAME = SameWriter.of(MODEL, PairCalibration("m", PairPropositions("one", "two", "us"), SIZES))
EVEN = LinkPrior(0.5)
FIRST, SECOND = np.array([[True, False]]), np.array([[False, True]])


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
        assert evidence.ratios(FIRST, SECOND).weight[0] == pytest.approx(weight)
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


def test_what_all_entries_of_a_list_have_in_common_is_removed():
    entries = hands(np.array([0, 1, 2, 3, 4, 4]), 20.0, 3)
    sheet = Prototypes(entries.means + 0.7, entries.counts)
    plain, shifted = SAME.sums(entries).centred(0), SAME.sums(sheet).centred(0)
    assert shifted.rows == pytest.approx(plain.rows)
    assert GroupEvidence(SAME, sheet, centred=True).pairs() != pytest.approx(
        GroupEvidence(SAME, sheet).pairs()
    )
    kept = GroupEvidence(SAME, sheet, centred=True).sums.means.mean(axis=0)
    assert kept == pytest.approx(SAME.sums(sheet).means.mean(axis=0) * 5 / 11)


SIZED = replace(
    SAME,
    calibration=replace(
        SAME.calibration,
        size=SizeModel(0.0, writer=0.06, page=0.008, word=0.07),
    ),
)


def test_a_known_size_of_the_writing_is_weighed_beside_the_vectors():
    rng = np.random.default_rng(0)
    one, two = rng.normal(0, 1, (30, DIMENSIONS)), rng.normal(0.2, 1, (12, DIMENSIONS))
    plain = SIZED.ratios(SIZED.side([one]), SIZED.side([two]))
    assert plain.weight == pytest.approx(SAME.ratios(SAME.side([one]), SAME.side([two])).weight)
    alike, apart, unknown = (
        SIZED.ratios(SIZED.side([with_sizes(one, 0.3)]), SIZED.side([with_sizes(two, size)]))
        for size in (0.3, -0.4, np.nan)
    )
    assert alike.weight[0] > plain.weight[0] > apart.weight[0]
    assert alike.score == pytest.approx(plain.score) and alike.size == pytest.approx(
        alike.weight - plain.weight
    )
    assert unknown.weight == pytest.approx(plain.weight) and unknown.size[0] == 0


def test_a_group_has_the_size_of_those_of_its_pages_where_it_is_known():
    page = np.random.default_rng(1).normal(0, 1, (20, DIMENSIONS))
    both = SIZED.side([with_sizes(page, 0.2), with_sizes(page, np.nan)])
    assert both.size[0][0] == pytest.approx(0.2)
    grouped = SIZED.sums(prototypes([with_sizes(page, 0.2), with_sizes(page, np.nan)])).grouped(
        np.eye(2, dtype=bool)
    )
    assert grouped.size[0][0] == pytest.approx(0.2) and np.isnan(grouped.size[0][1])


def test_pages_that_only_their_size_sets_apart_are_linked_by_it():
    """The same vectors at two sizes: one writer without the sizes, two with them."""
    rng = np.random.default_rng(3)
    weak = replace(
        SIZED.calibration,
        sizes=(replace(SIZES[0], calibration=BoundedLine(0.0, 0.1, -1.0, 1.0)),),
    )
    model = replace(SIZED, calibration=weak)
    means = np.repeat(rng.normal(0, 1, (1, DIMENSIONS)), 4, axis=0)
    sizes = np.array([0.4, 0.4, -0.4, -0.4])
    plain = cluster_writers(GroupEvidence(model, Prototypes(means, np.full(4, 40.0))), EVEN)
    sized = cluster_writers(
        GroupEvidence(model, Prototypes(with_sizes(means, sizes), np.full(4, 40.0))), EVEN
    )
    assert plain.labels.tolist() == [0, 0, 0, 0]
    assert sized.labels.tolist() == [0, 0, 1, 1]


def test_groups_are_scored_by_the_density_of_their_means():
    """Of two pages by one person and one by another, with half of the session shared."""
    from scipy.stats import multivariate_normal

    half = replace(SAME, calibration=replace(SAME.calibration, shared_session=0.5))
    group = half.sums(hands(np.array([0, 0, 1]), 20.0, 1))
    two, one = group.grouped(np.array([[True, True, False]])), group[2:]
    level = np.array([1.5 + 0.15 * 0.75 + 1 / 40, 1.5 + 0.15 + 1 / 20])
    joint = multivariate_normal(np.zeros(2), np.diag(level) + 1.5 * np.array([[0, 1], [1, 0]]))
    apart = multivariate_normal(np.zeros(2), np.diag(level))
    means = np.stack([two.means[0], one.means[0]], axis=1)
    expected = (joint.logpdf(means) - apart.logpdf(means)).sum()
    assert half.ratios(two, one).score[0] == pytest.approx(expected)


def test_pages_of_one_person_in_two_manners_are_not_divided():
    """Five pages with one pen and five with another: every two agree, so ten of them do."""
    rng = np.random.default_rng(6)
    writer = rng.normal(0, np.sqrt(1.5), DIMENSIONS)
    pens = rng.normal(0, np.sqrt(0.3), (2, DIMENSIONS))
    means = writer + np.repeat(pens, 5, axis=0) + rng.normal(0, 0.05, (10, DIMENSIONS))
    evidence = GroupEvidence(SAME, Prototypes(means, np.full(10, 200.0)))
    assert (evidence.pairs()[np.triu_indices(10, 1)] > 0).all()
    assert set(cluster_writers(evidence, EVEN).labels) == {0}


def test_hands_are_linked_across_pages_of_any_number():
    for count in (6, 20):
        truth = np.random.default_rng(count).integers(3, size=count)
        found = cluster_writers(GroupEvidence(SAME, hands(truth, 40.0, 4)), EVEN)
        assert pairwise_f1(truth, found.labels) == 1
        assert found.number.sum() == pytest.approx(1)
        assert found.number.argmax() + 1 == np.unique(truth).size


def test_every_hand_fits_the_group_it_ends_in():
    for seed in range(20):
        truth = np.random.default_rng(seed).integers(4, size=14)
        evidence = GroupEvidence(SAME, hands(truth, 8.0, seed))
        found, merged = cluster_writers(evidence, EVEN).labels, most_probable_writers(evidence, EVEN)
        assert pairwise_f1(truth, found) >= pairwise_f1(truth, merged) - 0.1
        for hand in range(14):
            own = np.arange(14) == hand
            rest = (found == found[hand]) & ~own
            assert not rest.any() or evidence.ratios(own[None], rest[None]).weight[0] > 0


def test_the_prior_turns_a_weak_link_and_the_document_says_so():
    pair = hands(np.array([0, 0]), 5.0, 2)
    evidence = GroupEvidence(SAME, pair)
    weight = LN10 * evidence.ratios(FIRST, SECOND).weight[0]
    assert weight > 0
    against = LinkPrior(1 / (1 + np.exp(weight + 0.1)))
    labels = cluster_writers(evidence, against).labels
    assert labels.tolist() == [0, 1]
    (one, two) = links_of(evidence, labels, np.array([0, 1]), ["A", "B"], np.ones(2))
    assert one.turned and two.turned and not one.linked and one.to == "B"
    (between,) = pairs_of(evidence.pairs(), np.array([0, 1]), ["A", "B"], np.ones(2))
    assert not (one.withheld or two.withheld or between.withheld)
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


def test_the_number_of_writers_follows_from_the_links():
    prior = LinkPrior(0.3)
    assert prior.writers(1) == pytest.approx([1.0])
    assert prior.writers(2) == pytest.approx([0.3, 0.7])
    assert prior.writers(7).sum() == pytest.approx(1)
    assert prior.writers(3) == pytest.approx([0.09, 0.42, 0.49])
    assert number_of_writers(np.array([1.0, 0.0, 1.0])) == pytest.approx([0, 1, 0, 0])
    with pytest.raises(HandshiftError, match="between 0 and 1"):
        LinkPrior(1.0)


def test_a_long_document_is_linked_in_seconds():
    truth = np.random.default_rng(1).integers(8, size=200)
    begun = time.process_time()
    found = cluster_writers(GroupEvidence(SAME, hands(truth, 40.0, 4)), EVEN)
    assert time.process_time() - begun < 20
    assert pairwise_f1(truth, found.labels) > 0.98


def test_the_shared_session_is_chosen_on_documents_of_known_writers():
    """Writers whose pages vary by manner, in blocks: pages of one manner share what differs."""
    rng = np.random.default_rng(2)
    writers, pages, words = 18, 6, 40
    page = np.repeat(np.arange(writers * pages), words)
    owner, manner = page // pages, page // (pages // 2)
    vectors = (
        rng.normal(0, 1.2, (writers, 6))[owner]
        + rng.normal(0, 0.5, (writers * 2, 6))[manner]
        + rng.normal(0, 1, (page.size, 6))
    )
    table = Table(
        np.char.add("p", page.astype(str)),
        np.char.add("w", owner.astype(str)),
        page % 2,
        np.char.add("t", (page % 3).astype(str)),
    )
    data = CalibrationData(table, vectors, sorted(set(table.writer)), "m", "us", 1, dimensions=4)
    found = calibrate_linking(data, calibrate_pairs(data, pairs=100, strangers=400), each=4)
    assert found.shared_session in SHARES
    assert calibrate_linking(data, replace(found, shared_session=0.5), each=4) == found
