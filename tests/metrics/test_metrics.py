"""The figures agree with scikit-learn and lir, and keep the promises their names make."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from lir import metrics as lir_metrics
from lir.data.models import LLRData
from sklearn import metrics as sklearn_metrics

from handshift import metrics
from handshift.metrics.named import UnknownMetricError


def scored(seed: int, count: int = 400, ties: bool = False) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    labels = random.integers(0, 2, count)
    scores = random.normal(size=count) + labels
    return labels, np.round(scores, 1) if ties else scores


def as_lir(labels: np.ndarray, log10_lr: np.ndarray) -> LLRData:
    return LLRData(features=log10_lr.reshape(-1, 1), labels=labels)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_auroc_is_scikit_learns(seed: int, ties: bool) -> None:
    labels, scores = scored(seed, ties=ties)
    assert metrics.auroc(labels, scores) == pytest.approx(sklearn_metrics.roc_auc_score(labels, scores))


@pytest.mark.parametrize("ties", [False, True])
def test_the_roc_curve_is_scikit_learns(ties: bool) -> None:
    labels, scores = scored(1, ties=ties)
    fpr, tpr, thresholds = sklearn_metrics.roc_curve(labels, scores, drop_intermediate=False)
    curve = metrics.roc_curve(labels, scores)
    np.testing.assert_allclose(curve.fpr, fpr)
    np.testing.assert_allclose(curve.tpr, tpr)
    np.testing.assert_allclose(curve.thresholds, thresholds)


@pytest.mark.parametrize("limit", [0.0, 0.01, 0.05, 0.29, 1.0])
@pytest.mark.parametrize("ties", [False, True])
def test_tpr_at_fpr_never_spends_more_false_alarms_than_allowed(limit: float, ties: bool) -> None:
    labels, scores = scored(2, ties=ties)
    threshold = metrics.threshold_at_fpr(labels, scores, limit)
    decisions = metrics.decide(labels, scores, threshold)
    assert decisions.false_positive_rate <= limit
    assert metrics.tpr_at_fpr(labels, scores, limit) == pytest.approx(decisions.recall)
    fpr, tpr, _ = sklearn_metrics.roc_curve(labels, scores, drop_intermediate=False)
    assert metrics.tpr_at_fpr(labels, scores, limit) == pytest.approx(tpr[fpr <= limit].max())


def test_a_false_alarm_too_many_is_not_rounded_away() -> None:
    # 100 negatives, two of them tied above every positive: 2 % is the smallest rate above zero.
    scores = np.concatenate([np.full(2, 9.0), np.zeros(98), np.ones(50)])
    labels = np.concatenate([np.zeros(100), np.ones(50)])
    assert metrics.tpr_at_fpr(labels, scores, 0.01) == 0.0
    assert metrics.tpr_at_fpr(labels, scores, 0.02) == 1.0


def test_eer_lies_where_both_errors_meet() -> None:
    labels, scores = scored(3, count=5000)
    fpr, tpr, _ = sklearn_metrics.roc_curve(labels, scores)
    nearest = np.argmin(np.abs(fpr - (1 - tpr)))
    assert metrics.eer(labels, scores) == pytest.approx((fpr[nearest] + 1 - tpr[nearest]) / 2, abs=1e-3)
    assert metrics.eer([0, 0, 1, 1], [0, 1, 2, 3]) == 0.0
    assert metrics.eer([0, 1, 0, 1], [0, 0, 0, 0]) == 0.5


def test_decisions_are_scikit_learns() -> None:
    labels, scores = scored(4)
    called = scores >= 0.7
    decisions = metrics.decide(labels, scores, 0.7)
    assert decisions.f1 == pytest.approx(sklearn_metrics.f1_score(labels, called))
    assert decisions.precision == pytest.approx(sklearn_metrics.precision_score(labels, called))
    assert decisions.recall == pytest.approx(sklearn_metrics.recall_score(labels, called))
    assert decisions.accuracy == pytest.approx(sklearn_metrics.accuracy_score(labels, called))


@pytest.mark.parametrize("criterion", ["f1", "accuracy", "youden"])
def test_the_chosen_threshold_is_the_best_on_the_data_it_was_chosen_on(
    criterion: Literal["f1", "accuracy", "youden"],
) -> None:
    labels, scores = scored(5, count=80, ties=True)

    def quality(threshold: float) -> float:
        decisions = metrics.decide(labels, scores, threshold)
        youden = decisions.recall - decisions.false_positive_rate
        return {"f1": decisions.f1, "accuracy": decisions.accuracy, "youden": youden}[criterion]

    best = max(quality(score) for score in scores)
    assert quality(metrics.choose_threshold(labels, scores, criterion)) == pytest.approx(best)


@pytest.mark.parametrize("seed", range(3))
def test_cllr_is_lirs(seed: int) -> None:
    labels, log10_lr = scored(seed)
    reference = as_lir(labels, log10_lr)
    assert metrics.cllr(labels, log10_lr) == pytest.approx(lir_metrics.cllr(reference))
    assert metrics.cllr_min(labels, log10_lr) == pytest.approx(lir_metrics.cllr_min(reference), abs=1e-6)
    assert metrics.cllr_cal(labels, log10_lr) == pytest.approx(lir_metrics.cllr_cal(reference), abs=1e-6)


def test_cllr_of_saying_nothing_is_one_and_of_the_truth_zero() -> None:
    assert metrics.cllr([0, 1, 1], [0, 0, 0]) == pytest.approx(1.0)
    assert metrics.cllr([0, 1], [-np.inf, np.inf]) == 0.0
    assert metrics.cllr([0, 1], [-400.0, -400.0]) > 600  # stays finite where 10^LLR would overflow


def test_always_mixed_beats_the_published_f1() -> None:
    # 2,880 mixed and 1,440 single-writer documents: the reported 0.756 is below knowing nothing.
    labels = np.repeat([1, 0], [2880, 1440])
    assert metrics.always_positive_f1(labels) == pytest.approx(0.80)
    assert metrics.majority_accuracy(labels) == pytest.approx(2 / 3)


def test_a_bootstrap_over_writers_is_wider_than_one_over_words() -> None:
    random = np.random.default_rng(0)
    writers = np.repeat(np.arange(20), 30)
    labels = writers % 2
    scores = labels + random.normal(size=20)[writers] * 2 + random.normal(size=600) * 0.1

    def figure(items: np.ndarray) -> float:
        return metrics.auroc(labels[items], scores[items])

    over_writers = metrics.bootstrap_interval(writers, figure, repeats=200)
    over_words = metrics.bootstrap_interval(np.arange(600), figure, repeats=200)
    assert over_writers.high - over_writers.low > 2 * (over_words.high - over_words.low)
    assert over_writers.low < over_writers.value < over_writers.high


def test_a_drawn_group_brings_all_its_items() -> None:
    groups = np.array(["b", "a", "b", "c", "b"])
    for sample in metrics.draw_groups(groups, repeats=50, seed=1):
        counts = np.bincount(sample, minlength=5)
        assert counts[0] == counts[2] == counts[4]
        assert counts[0] + counts[1] + counts[3] == 3


@pytest.mark.parametrize("name", metrics.METRICS)
@pytest.mark.parametrize("ties", [False, True])
def test_counting_an_item_twice_is_measuring_it_twice(name: str, ties: bool) -> None:
    labels, scores = scored(7, ties=ties)
    writers = np.random.default_rng(8).integers(0, 12, labels.size)
    sample, metric = metrics.Sample.of(labels, scores), metrics.METRICS[name]
    counts = metrics.draw_counts(12, repeats=20, seed=3)
    for times, items in zip(counts, metrics.draw_groups(writers, repeats=20, seed=3), strict=True):
        (expected,) = metrics.measure([name], labels[items], scores[items], threshold=0.4).values()
        assert metric.compute(sample.drawn(times[writers]), 0.4) == pytest.approx(expected, abs=1e-12)


def test_a_draw_of_one_class_alone_is_refused() -> None:
    sample = metrics.Sample.of([0, 1, 1], [0.1, 0.2, 0.3])
    with pytest.raises(metrics.UnmeasurableError, match="both classes"):
        _ = sample.drawn(np.array([0, 2, 1])).curve


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        ([1, 1], [0.1, 0.2], "both classes"),
        ([0, 1, 2], [0.1, 0.2, 0.3], "0 or 1"),
        ([0, 1], [0.1, float("nan")], "1 of 2 scores are NaN"),
        ([0, 1], [0.1], "one length"),
        ([], [], "both classes"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(labels: list, scores: list, words: str) -> None:
    with pytest.raises(metrics.UnmeasurableError, match=words):
        metrics.auroc(labels, scores)


def test_named_metrics_know_their_trivial_baseline_and_refuse_unknown_names() -> None:
    labels, scores = scored(6)
    figures = metrics.measure(["auroc", "f1"], labels, scores, threshold=0.5)
    assert figures["auroc"] == metrics.auroc(labels, scores)
    assert metrics.METRICS["f1"].trivial(labels) == metrics.always_positive_f1(labels)
    with pytest.raises(UnknownMetricError, match=r"'aurocc'.*auroc"):
        metrics.measure(["aurocc"], labels, scores)
    with pytest.raises(UnknownMetricError, match="threshold chosen on validation"):
        metrics.measure(["f1"], labels, scores)
