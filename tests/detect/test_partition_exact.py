"""The partition ratio, number for number, against the definition written out word by word."""

from __future__ import annotations

from itertools import combinations
from math import comb, log

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import multivariate_normal

from handshift.detect.detector import shares
from handshift.detect.partition import partition_ratio, priors
from handshift.detect.partition.agglomerate import agglomerate
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.partition.hill_climb import hill_climb, log_posteriors
from handshift.detect.partition.partition_ratio import PartitionRatio, detect
from handshift.detect.plda import Plda

DIMENSIONS = 3


@pytest.fixture
def model() -> Plda:
    return Plda(
        np.zeros(DIMENSIONS), np.eye(DIMENSIONS), np.array([2.0, 1.1, 0.4]), np.array([0.5, 0.2, 0.1])
    )


def drawn(words: int, seed: int, foreign: int = 0) -> np.ndarray:
    """Words of one hand, the last of another."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(words, DIMENSIONS))
    x[words - foreign :] += 1.5
    return x


def ratios(x: np.ndarray, group: tuple[int, ...], model: Plda) -> tuple[float, float]:
    """ln p(two writers)/p(one) and ln p(two sessions)/p(one), from the joint density of all words."""
    n = len(x)
    second = np.isin(np.arange(n), group)
    same = second[:, None] == second[None, :]
    found = np.zeros(3)
    for k in range(DIMENSIONS):
        writer, session = model.writer[k], model.session[k]
        for row, cross in enumerate((0.0, writer, writer + session)):
            covariance = np.where(same, writer + session, cross) + np.eye(n)
            found[row] += multivariate_normal(np.zeros(n), covariance).logpdf(x[:, k])
    return float(found[0] - found[2]), float(found[1] - found[2])


def defined(x: np.ndarray, model: Plda) -> tuple[float, np.ndarray]:
    """The score and the probabilities as the docstrings define them: half blocks, half scattered words."""
    n = len(x)
    terms: list[tuple[float, tuple[int, ...]]] = [
        (-log(2) - log(n - 1) - log(n - length + 1), tuple(range(start, start + length)))
        for length in range(1, n)
        for start in range(n - length + 1)
    ]
    terms += [
        (-log(2) - log(n // 2) - log(comb(n, size)), group)
        for size in range(1, n // 2 + 1)
        for group in combinations(range(n), size)
    ]
    writers = np.array([prior + ratios(x, group, model)[0] for prior, group in terms])
    sessions = np.array([prior + ratios(x, group, model)[1] for prior, group in terms])
    foreign = np.zeros(n)
    for weight, (_, group) in zip(np.exp(writers - logsumexp(writers)), terms, strict=True):
        smaller = group if 2 * len(group) <= n else tuple(set(range(n)) - set(group))
        foreign[list(smaller)] += weight
    one_hand = np.logaddexp(0.0, logsumexp(sessions)) - log(2)
    return float(logsumexp(writers) - one_hand), foreign


@pytest.mark.parametrize(("words", "foreign"), [(4, 1), (5, 2), (6, 0), (7, 3)])
def test_score_and_probabilities_are_those_of_the_definition(model, words, foreign):
    x = drawn(words, words, foreign)
    score, probabilities = defined(x, model)
    found = detect(x, model)
    assert found.score == pytest.approx(score, abs=1e-9)
    assert found.foreign == pytest.approx(probabilities, abs=1e-9)
    scored = PartitionRatio(model).score(x)
    assert scored.score == found.score
    assert scored.contribution == pytest.approx(shares(np.maximum(found.foreign, 0.0)))


def test_one_word_has_no_ratio_and_two_have(model):
    one = PartitionRatio(model).score(drawn(1, 0))
    assert one.score == 0.0 and one.contribution.tolist() == [1.0]
    assert PartitionRatio(model).score(drawn(2, 0)).score != 0.0
    assert PartitionRatio(model).order_aware is True and PartitionRatio(model).tree is False


@pytest.mark.parametrize("words", [2, 3])
def test_two_and_three_words_have_the_ratio_of_the_definition(model, words):
    x = drawn(words, words, 1)
    assert PartitionRatio(model).score(x).score == pytest.approx(defined(x, model)[0], abs=1e-9)


def clustered(bag: ProjectedBag) -> list[frozenset[int]]:
    """Agglomerative clustering with every gain computed anew."""
    level = bag.model.writer + bag.model.session

    def likelihood(members: frozenset[int]) -> float:
        total, n = bag.words[list(members)].sum(axis=0), len(members)
        return float(0.5 * (level * total**2 / (1 + n * level) - np.log(1 + n * level)).sum())

    clusters = [frozenset([k]) for k in range(bag.size)]
    tree = list(clusters)
    while len(clusters) > 2:
        pairs = combinations(clusters, 2)
        one, other = max(pairs, key=lambda two: likelihood(two[0] | two[1]) - sum(map(likelihood, two)))
        clusters = [cluster for cluster in clusters if cluster not in (one, other)] + [one | other]
        tree.append(one | other)
    return tree


@pytest.mark.parametrize("seed", range(4))
def test_the_tree_is_that_of_the_gains_in_likelihood(model, seed):
    bag = ProjectedBag(drawn(11, seed, 4), model)
    found = agglomerate(bag)
    assert found.shape == (20, 11)
    assert [frozenset(np.flatnonzero(row).tolist()) for row in found] == clustered(bag)


def neighbourhood(members: np.ndarray) -> set[tuple[bool, ...]]:
    n = len(members)
    near = [members, *(np.where(np.arange(n) == k, ~members, members) for k in range(n))]
    return {tuple(one.tolist()) for one in near if 1 <= one.sum() <= n // 2}


@pytest.mark.parametrize(("words", "seed"), [(9, 0), (10, 1), (12, 2)])
def test_the_climb_ends_where_no_word_can_be_moved(model, words, seed):
    bag = ProjectedBag(drawn(words, seed, words // 3), model)
    start = np.eye(words, dtype=bool)[0]

    def posterior(members: np.ndarray) -> float:
        size = int(members.sum())
        prior = -log(words // 2) - log(comb(words, size))
        return ratios(bag.words, tuple(np.flatnonzero(members).tolist()), model)[0] + prior

    best = start
    while True:
        better = max((np.array(one) for one in neighbourhood(best)), key=posterior)
        if posterior(better) <= posterior(best):
            break
        best = better
    found = hill_climb(bag, start, priors._log_prior)
    assert {tuple(row.tolist()) for row in found} == neighbourhood(best)
    assert log_posteriors(bag, best[None], priors._log_prior)[0] == pytest.approx(posterior(best))


@pytest.mark.parametrize(
    ("foreign", "members"),
    [
        ([0.1, 0.2, 0.3, 0.2], [2]),  # at least one
        ([0.9, 0.8, 0.7, 0.6, 0.1], [0, 1]),  # at most half
        ([0.9, 0.8, 0.7, 0.95], [0, 3]),
        ([0.5, 0.9, 0.1, 0.2, 0.0, 0.0], [1]),  # a half is not more than a half
        ([0.1, 0.9, 0.8, 0.7, 0.1, 0.0], [1, 2, 3]),
    ],
)
def test_the_smaller_group_has_the_most_probable_words(foreign, members):
    found = partition_ratio._smaller_group(np.array(foreign))
    assert np.flatnonzero(found).tolist() == members


def test_the_search_of_a_large_bag_starts_from_the_block_and_with_the_tree_from_its_best_cluster(model):
    bag = ProjectedBag(drawn(17, 8, 6)[np.random.default_rng(2).permutation(17)], model)
    start = np.eye(17, dtype=bool)[3]
    best = priors._best_cluster(bag)
    candidates = [frozenset(np.flatnonzero(row).tolist()) for row in agglomerate(bag)]
    smaller = [one if len(one) <= 8 else frozenset(range(17)) - one for one in candidates]
    rows = np.array([np.isin(np.arange(17), list(one)) for one in smaller])
    assert np.array_equal(best, rows[np.argmax(log_posteriors(bag, rows, priors._log_prior))])
    climbed = [hill_climb(bag, one, priors._log_prior) for one in (start, best)]
    for tree, found in ((False, climbed[:1]), (True, climbed)):
        members = np.unique(np.vstack(found), axis=0)
        terms = log_posteriors(bag, members, priors._log_prior)
        evidence = priors.scattered_evidence(bag, start, tree)
        assert evidence.two_writers == pytest.approx(logsumexp(terms), abs=1e-9)
        assert evidence.foreign == pytest.approx(np.exp(terms - logsumexp(terms)) @ members, abs=1e-9)
    assert priors.scattered_evidence(bag, start).two_writers == pytest.approx(
        priors.scattered_evidence(bag, start, tree=False).two_writers
    )
    assert len(climbed[1]) and not np.array_equal(climbed[0], climbed[1])


def test_a_climb_goes_to_another_writer_where_sessions_tell_nothing(model):
    same_day = Plda(model.mean, model.projection, model.writer, np.full(DIMENSIONS, 1e-9))
    x = drawn(12, 3)
    x[8:] += 6.0
    found = hill_climb(ProjectedBag(x, same_day), np.eye(12, dtype=bool)[10], priors._log_prior)
    assert np.flatnonzero(found[0]).tolist() == [8, 9, 10, 11]


def test_a_climb_ends_after_sixty_words(model):
    x = np.zeros((200, DIMENSIONS))
    x[:90] += 6.0
    found = hill_climb(ProjectedBag(x, model), np.eye(200, dtype=bool)[0], priors._log_prior)
    assert found[0].sum() == 61 and found[0][:90].sum() == 61


def test_a_cluster_of_just_less_than_half_is_the_smaller_group(model):
    x = drawn(17, 5)
    x[9:] += 8.0
    assert np.flatnonzero(priors._best_cluster(ProjectedBag(x, model))).tolist() == list(range(9, 17))


def test_a_page_is_not_searched_from_the_tree_unless_that_is_asked_for(model):
    x = drawn(40, 1, 12)[np.random.default_rng(3).permutation(40)]
    plain, tree = (PartitionRatio(model, tree=tree).score(x).score for tree in (False, True))
    assert detect(x, model).score == plain != tree


def test_sixteen_words_are_enumerated_and_seventeen_are_not(model):
    bag = ProjectedBag(drawn(16, 2, 5), model)
    _, sizes, writers, _ = priors.bipartition_log_ratios(bag)
    terms = writers - np.log(8) - np.log([comb(16, size) for size in sizes])
    found = priors.scattered_evidence(bag, np.eye(16, dtype=bool)[0])
    assert found.two_writers == pytest.approx(logsumexp(terms), abs=1e-9)
    assert priors.MOST_WORDS == 16 and partition_ratio.FEWEST_WORDS == 4
    members, sizes = priors.all_bipartitions(5)
    assert members.shape == (15, 5) and sizes.tolist() == [1] * 5 + [2] * 10
    assert members.sum(axis=1).tolist() == sizes.tolist()
