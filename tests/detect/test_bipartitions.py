"""Sums over divisions: exact where they can be, close and quick where they cannot."""

from __future__ import annotations

import time
from itertools import combinations
from math import comb

import numpy as np
import pytest
from drawn_hands import draw, model
from scipy.special import logsumexp

from handshift.detect.partition import priors as divisions
from handshift.detect.partition.agglomerate import agglomerate
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.partition.partition_ratio import PartitionRatio
from handshift.detect.partition.priors import bipartition_log_ratios, scattered_evidence


def test_up_to_sixteen_words_every_division_is_in_the_sum():
    bag = ProjectedBag(draw(np.random.default_rng(0), 5, 2), model())
    terms, foreign = [], np.zeros(7)
    for size in (1, 2, 3):
        for group in combinations(range(7), size):
            ratio = bag.log_ratios(bag.words[list(group)].sum(axis=0)[None], np.array([size]))[0][0]
            terms.append(ratio - np.log(3 * comb(7, size)))
            foreign[list(group)] += np.exp(terms[-1])
    evidence = scattered_evidence(bag, np.eye(7, dtype=bool)[0])
    assert evidence.two_writers == pytest.approx(logsumexp(terms), abs=1e-9)
    assert evidence.foreign == pytest.approx(foreign / np.exp(logsumexp(terms)), abs=1e-9)
    assert len(bipartition_log_ratios(ProjectedBag(draw(np.random.default_rng(1), 16), model()))[0]) == 39202


def test_beyond_that_the_search_finds_nearly_all_of_the_sum(monkeypatch):
    rng = np.random.default_rng(2)
    bags = [ProjectedBag(draw(rng, 10, 4)[rng.permutation(14)], model()) for _ in range(20)]
    start = np.eye(14, dtype=bool)[0]
    exact = np.array([scattered_evidence(bag, start).two_writers for bag in bags])
    monkeypatch.setattr(divisions, "MOST_WORDS", 4)
    found = np.array([scattered_evidence(bag, start, tree=True).two_writers for bag in bags])
    assert (found <= exact + 1e-9).all()  # a bound from below
    assert np.median(exact - found) < 1.0


def test_the_tree_has_a_branch_for_a_hand_scattered_over_the_page():
    rng = np.random.default_rng(3)
    far = model()
    words = draw(rng, 40, 12)
    words[40:] += 6 * np.sqrt(far.writer)
    order = rng.permutation(52)
    tree = agglomerate(ProjectedBag(words[order], far))
    assert tree.shape == (2 * 52 - 2, 52)
    foreign = order >= 40
    assert (tree == foreign).all(axis=1).any() or (tree == ~foreign).all(axis=1).any()


def test_the_tree_never_finds_less():
    rng = np.random.default_rng(5)
    for _ in range(5):
        bag = ProjectedBag(draw(rng, 30, 6)[rng.permutation(36)], model())
        start = np.eye(36, dtype=bool)[0]
        assert (
            scattered_evidence(bag, start, tree=True).two_writers
            >= scattered_evidence(bag, start).two_writers - 1e-9
        )


def test_three_hundred_words_take_less_than_a_fifth_of_a_second():
    words, levels = draw(np.random.default_rng(4), 260, 40), model()
    thorough = PartitionRatio(levels, tree=True)
    thorough.score(words)
    began = time.process_time()  # other processes must not count
    thorough.score(words)
    assert time.process_time() - began < 0.2
