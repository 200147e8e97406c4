"""The size of writing is weighed by a two-covariance model of one dimension, and never too heavily."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from handshift.detect.size_model import SizeModel

MODEL = SizeModel(mean=-0.2, writer=0.05, page=0.01, word=0.06, outliers=0.1)


def ratio(model: SizeModel, a: float, b: float, words: float = 60.0) -> float:
    noise = np.array([model.page + model.word / words])
    return float(model.log_ratios((np.array([a]), np.array([b])), (noise, noise))[0])


def test_the_ratio_is_that_of_the_densities_but_for_outliers():
    level = 0.05 + 0.01 + 0.06 / 60
    pair = np.array([0.1, 0.25]) + 0.2
    one = multivariate_normal([0, 0], [[level, 0.05], [0.05, level]]).pdf(pair)
    two = multivariate_normal([0, 0], np.eye(2) * level).pdf(pair)
    assert ratio(MODEL, 0.1, 0.25) == pytest.approx(np.log(0.9 * one / two + 0.1))


def test_no_difference_counts_for_more_than_the_share_of_outliers():
    assert ratio(MODEL, -0.2, 3.0) == pytest.approx(np.log(0.1), abs=1e-6)


def test_equal_sizes_speak_for_one_writer_and_unusual_ones_more():
    assert 0 < ratio(MODEL, -0.2, -0.2) < ratio(MODEL, 0.3, 0.3)


def test_an_unknown_size_says_nothing():
    assert ratio(MODEL, np.nan, 0.1) == 0 == ratio(MODEL, 0.1, np.nan)


def test_few_words_say_less():
    assert abs(ratio(MODEL, 0.4, -0.4, words=1)) < abs(ratio(MODEL, 0.4, -0.4, words=60))


def test_variances_are_found_again():
    rng = np.random.default_rng(0)
    writers, pages, words = 200, 3, 40
    owner = np.repeat(np.arange(writers), pages * words)
    page = np.repeat(np.arange(writers * pages), words)
    sizes = (
        -0.2
        + rng.normal(0, 0.25, writers)[owner]
        + rng.normal(0, 0.1, writers * pages)[page]
        + rng.normal(0, 0.3, owner.size)
    )
    names, sheets = np.char.add("w", owner.astype(str)), np.char.add("p", page.astype(str))
    sessions = np.where(owner % 2, 1, page % pages)  # half of the writers wrote all in one sitting
    found = SizeModel.fit(sizes, names, sessions, sheets)
    assert found.mean == pytest.approx(-0.2, abs=0.06)
    assert np.sqrt([found.writer, found.page, found.word]) == pytest.approx([0.25, 0.1, 0.3], rel=0.15)
