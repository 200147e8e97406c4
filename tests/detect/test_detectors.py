"""What holds for every detector that works on arrays, fitted or not."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_hands import draw, model

from handshift.detect.baselines import BASELINES
from handshift.detect.leave_one_out import LeaveOneOutEvidence
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.partition.partition_ratio import PartitionRatio
from handshift.metrics import auroc

DETECTORS = {
    **BASELINES,
    "partition": PartitionRatio(model()),
    "tree": PartitionRatio(model(), tree=True),
    "leave-one-out": LeaveOneOutEvidence(model()),
}
each = pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS)


@each
def test_contributions_are_parts_of_a_whole_for_bags_of_any_size(detector):
    for size in (1, 2, 3, 17, 500):
        scored = detector.score(draw(np.random.default_rng(size), size))
        assert np.isfinite(scored.score)
        assert scored.contribution.shape == (size,) and (scored.contribution >= 0).all()
        assert scored.contribution.sum() == pytest.approx(1.0)


@each
def test_a_detector_that_ignores_order_gives_one_score_for_all_orders_and_others_read_backwards(detector):
    rng = np.random.default_rng(2)
    words = draw(rng, 9, 5)
    order = np.arange(14)[::-1] if detector.order_aware else rng.permutation(14)
    straight, turned = detector.score(words), detector.score(words[order])
    assert turned.score == pytest.approx(straight.score, abs=1e-9)
    assert turned.contribution == pytest.approx(straight.contribution[order], abs=1e-9)


def test_the_detector_that_says_that_order_matters_means_it():
    rng, detector = np.random.default_rng(3), DETECTORS["partition"]
    rows = [draw(rng, 7, 4) for _ in range(20)]
    straight = [detector.score(words).score for words in rows]
    scattered = [detector.score(words[[0, 7, 1, 8, 2, 9, 3, 10, 4, 5, 6]]).score for words in rows]
    assert detector.order_aware and np.mean(straight) > np.mean(scattered) + 0.1


@each
def test_a_word_repeated_is_less_suspicious_than_two_hands(detector):
    rng = np.random.default_rng(4)
    same = [detector.score(np.repeat(draw(rng, 1), 14, axis=0)).score for _ in range(8)]
    mixed = [detector.score(draw(rng, 10, 4)).score for _ in range(8)]
    assert max(same) < np.median(mixed)


@each
def test_two_hands_score_above_one_and_the_foreign_word_contributes_most(detector):
    rng = np.random.default_rng(5)
    one, two = [draw(rng, 14) for _ in range(60)], [draw(rng, 10, 4) for _ in range(60)]
    scores = np.array([detector.score(words).score for words in one + two])
    assert auroc(np.repeat([0, 1], 60), scores) > 0.8
    single = [detector.score(draw(rng, 13, 1)).contribution for _ in range(60)]
    assert np.mean([contribution[13] for contribution in single]) > 1.2 / 14


def test_leaving_one_out_is_the_density_ratio_of_that_word_given_the_others():
    levels, words = model(), draw(np.random.default_rng(6), 5)
    between, n = levels.writer + levels.session, 4
    rest = words[1:].mean(axis=0)
    # Given the others, the word is normal about the shrunk mean; by another writer it is normal about zero.
    shrink = between / (between + 1 / n)
    known, free = between + 1 - shrink * between, between + 1
    log_known = -0.5 * (np.log(known) + (words[0] - shrink * rest) ** 2 / known).sum()
    log_free = -0.5 * (np.log(free) + words[0] ** 2 / free).sum()
    ratio, _ = ProjectedBag(words, levels).log_ratios(words[:1], np.array([1]))
    assert ratio[0] == pytest.approx(log_free - log_known, abs=1e-9)


def test_mean_cosine_is_the_mean_over_all_pairs():
    words = draw(np.random.default_rng(7), 6)
    units = words / np.linalg.norm(words, axis=1, keepdims=True)
    pairs = [units[i] @ units[j] for i in range(6) for j in range(i)]
    assert BASELINES["mean-cosine"].score(words).score == pytest.approx(-np.mean(pairs))


def test_a_third_hand_does_not_hide_the_second():
    rng, detector = np.random.default_rng(8), DETECTORS["partition"]
    more = []
    for _ in range(30):
        words = draw(rng, 9, 3)
        third = draw(rng, 2)
        more.append(detector.score(np.vstack([words, third])).score - detector.score(words).score)
    assert np.mean(more) > 0 and np.quantile(more, 0.1) > -3
