"""Means of words are compared by direction, at the length expected of so many words."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.detect.plda import Plda, log_ratios
from handshift.embedding.mean_length import MeanLength
from handshift.embedding.prototypes import Prototypes, prototypes


def pages(count: int, words: int, seed: int) -> list[np.ndarray]:
    """Pages with a mean of length 2 and words of variance 0.5 in each of eight dimensions."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(count, 8))
    centres *= 2 / np.linalg.norm(centres, axis=1, keepdims=True)
    return [centre + rng.normal(0, np.sqrt(0.5), (words, 8)) for centre in centres]


@pytest.mark.parametrize("words", [5, 60])
def test_the_expected_length_does_not_depend_on_how_long_the_pages_are(words):
    found = MeanLength.fit(pages(400, words, seed=0))
    assert found.common == pytest.approx(4, abs=0.15)
    assert found.single == pytest.approx(8 * 0.5, abs=0.15)


def test_means_of_few_words_are_longer_than_those_of_many():
    length = MeanLength(4.0, 4.0)
    sets = Prototypes(np.array([[3.0, 0.0], [0.0, 0.5], [0.0, 0.0]]), np.array([1.0, 100.0, 7.0]))
    found = length.normalised(sets)
    assert found.means == pytest.approx(np.array([[np.sqrt(8), 0.0], [0.0, np.sqrt(4.04)], [0.0, 0.0]]))
    assert found.counts is sets.counts


def test_a_page_of_short_rows_is_compared_like_one_of_long_rows():
    one, two = prototypes(pages(2, 40, seed=1))[:1], prototypes(pages(2, 40, seed=1))[1:]
    faint = Prototypes(two.means * 0.3, two.counts)
    plain = Plda(np.zeros(8), np.eye(8), np.full(8, 0.5), np.full(8, 0.1))
    level = Plda(np.zeros(8), np.eye(8), np.full(8, 0.5), np.full(8, 0.1), MeanLength(4.0, 4.0))
    assert log_ratios(one, faint, level) == pytest.approx(log_ratios(one, two, level))
    assert log_ratios(one, faint, plain) != pytest.approx(log_ratios(one, two, plain))
