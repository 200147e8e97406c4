"""Ten-fold accuracy is what LFW means by it."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.metrics import UnmeasurableError, fold_accuracy


def test_scores_that_separate_are_always_right():
    same = np.arange(200) % 2 == 0
    found = fold_accuracy(same, same * 1.0, np.arange(200) % 20)
    assert (found.mean, found.error, found.folds) == (1.0, 0.0, 10)


def test_scores_that_know_nothing_are_right_half_the_time():
    rng = np.random.default_rng(0)
    found = fold_accuracy(np.arange(4000) % 2 == 0, rng.normal(size=4000), rng.integers(40, size=4000))
    assert found.mean == pytest.approx(0.5, abs=0.04)


def test_a_fold_gets_no_threshold_from_its_own_writers():
    # Only one writer's pairs lie at 10 and 11; with them a threshold of 10.5 would be learned.
    writer = np.repeat(np.arange(10), 10)
    same = np.arange(100) % 2 == 0
    scores = np.where(same, 1.0, 0.0) + np.where(writer == 0, 10.0, 0.0)
    found = fold_accuracy(same, scores, writer)
    assert found.mean == pytest.approx(0.95)  # the odd writer's ten are all called the same


def test_a_pair_of_writers_is_kept_from_both_their_folds():
    same = np.array([True, False] * 20)
    pairs = np.stack([np.arange(40) % 4, np.zeros(40, int)], axis=1)  # writer 0 is in every pair
    with pytest.raises(UnmeasurableError, match="groups"):
        fold_accuracy(same, same * 1.0, np.where(pairs == 1, 0, pairs)[:, [1, 0]])
