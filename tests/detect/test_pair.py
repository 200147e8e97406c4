"""The score of two sets is the ratio of two Gaussian densities, and knows a writer again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.plda import Plda, log_ratios
from handshift.embedding.prototypes import Prototypes, prototypes

MODEL = Plda(np.full(4, 0.1), np.eye(4)[:, :3], np.array([2.0, 1.0, 0.3]), np.array([0.5, 0.2, 0.1]))


def test_the_score_is_the_log_ratio_of_the_two_densities():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(5, 4)), rng.normal(size=(9, 4))
    expected = 0.0
    for k in range(3):
        level = MODEL.writer[k] + MODEL.session[k]
        means = [a[:, k].mean() - 0.1, b[:, k].mean() - 0.1]
        variances = np.diag([level + 1 / 5, level + 1 / 9])
        shared = MODEL.writer[k] * (1 - np.eye(2))
        expected += float(multivariate_normal.logpdf(means, cov=variances + shared))
        expected -= float(multivariate_normal.logpdf(means, cov=variances))
    sets = prototypes([a, b])
    assert log_ratios(sets[:1], sets[1:], MODEL) == pytest.approx([expected])


def test_it_agrees_with_a_bag_divided_in_two():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(6, 4)), rng.normal(size=(4, 4))
    bag = ProjectedBag(MODEL.project(np.concatenate([a, b])), MODEL)
    two_writers, two_sessions = bag.log_ratios(MODEL.project(b).sum(axis=0)[None], np.array([4]))
    sets = prototypes([a, b])
    assert log_ratios(sets[:1], sets[1:], MODEL) == pytest.approx(two_sessions - two_writers)


def test_one_query_is_held_against_many_at_once():
    rng = np.random.default_rng(2)
    many = Prototypes(rng.normal(size=(7, 4)), np.arange(1.0, 8.0))
    each = [log_ratios(many[:1], many[k : k + 1], MODEL)[0] for k in range(7)]
    assert log_ratios(many[:1], many, MODEL) == pytest.approx(each)
    assert log_ratios(many, many[:1].__class__(many.means, many.counts), MODEL).shape == (7,)


def test_more_words_say_more():
    mean = np.array([[2.0, 1.0, 0.5, 0.0]])
    few, many = Prototypes(mean, np.array([1.0])), Prototypes(mean, np.array([50.0]))
    assert log_ratios(many, many, MODEL)[0] > log_ratios(few, few, MODEL)[0] > 0
