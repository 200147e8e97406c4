"""Verification is measured on pairs that only the hand can tell apart, and says when it cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.verification import (
    balanced_pairs,
    fpr_at_fnr,
    impostor_pairs,
    similarities,
    tar_at_far_figures,
    verification_report,
)


@pytest.fixture
def words() -> WordCollection:
    """Twelve writers, two sessions, two pages each, five words a page."""
    page = np.repeat(np.arange(48), 5)
    writer, session = page // 4, page // 2 % 2
    return WordCollection(
        np.zeros((240, 64, 192), np.uint8),
        np.char.add("p", page.astype(str)),
        np.char.add("w", writer.astype(str)),
        session,
        np.char.add("t", (page % 2).astype(str)),
    )


def test_same_writer_pairs_cross_sessions(words):
    pairs = balanced_pairs(words, np.unique(words.writer), 400, seed=1)
    one, two = pairs.rows.T
    assert pairs.same.mean() == 0.5
    assert ((words.writer[one] == words.writer[two]) == pairs.same).all()
    assert (words.session[one] != words.session[two])[pairs.same].all()


def test_impostors_are_strangers_and_every_writer_comes_as_often(words):
    pairs = impostor_pairs(words, np.unique(words.writer), 5000, seed=1)
    one, two = words.writer[pairs.rows].T
    assert len(one) >= 5000 and (one != two).all()
    assert np.ptp(np.unique(one, return_counts=True)[1]) == 0


def test_similarities_are_cosines_in_any_number_of_parts():
    vectors = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.random.default_rng(1).integers(50, size=(70_000, 2))
    found = similarities(vectors, rows)
    assert found[-1] == pytest.approx(float(vectors[rows[-1, 0]] @ vectors[rows[-1, 1]]), abs=1e-6)
    assert found.shape == (70_000,)


def test_false_positives_are_counted_where_few_are_missed():
    same = np.repeat([True, False], [100, 100])
    scores = np.concatenate([np.arange(100.0), np.arange(100.0) - 90])  # strangers reach 9
    # At most 4 of 100 missed: the threshold is 4, which strangers with 4 to 9 reach.
    assert fpr_at_fnr(scores, same, 0.04) == pytest.approx(0.06)


def test_a_rate_without_enough_strangers_is_marked():
    same = np.repeat([True, False], [100, 20_000])
    scores = np.concatenate([np.ones(100), np.zeros(20_000)])
    found = tar_at_far_figures(scores, same)
    assert [one["enough"] for one in found.values()] == [True, False, False]
    assert list(found) == ["tar_at_far_1e-3", "tar_at_far_1e-4", "tar_at_far_1e-5"]
    assert found["tar_at_far_1e-5"]["value"] == 1.0


def test_the_full_figures_hold_intervals_over_writers_and_chance():
    rng = np.random.default_rng(3)
    writers = np.char.add("w", rng.integers(20, size=(2000, 2)).astype(str))
    same = writers[:, 0] == writers[:, 1]
    same[:600], writers[:600, 1] = True, writers[:600, 0]
    scores = rng.normal(size=2000) + 2 * same
    found = verification_report(scores, same, writers, seed=1, repeats=50)
    low, high = found["auc"]["interval"]
    assert low < found["auc"]["value"] < high
    assert found["auc"]["value"] == pytest.approx(0.92, abs=0.02)
    assert found["accuracy_10_fold"]["value"] == pytest.approx(0.84, abs=0.03)
    assert found["accuracy_10_fold"]["folds"] == 10
    assert found["chance"] == {"auc": 0.5, "eer": 0.5, "accuracy_10_fold": 0.5}
