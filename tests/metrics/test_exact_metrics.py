"""Metrics on cases small enough to be worked out by hand, so that any other formula shows."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.metrics.aupro import aupro
from handshift.metrics.bootstrap import bootstrap_interval, draw_groups
from handshift.metrics.cllr import cllr_min
from handshift.metrics.decision import Criterion, Decisions, choose_threshold
from handshift.metrics.devpav import devpav
from handshift.metrics.folds import fold_accuracy
from handshift.metrics.grouping import assignment_error, pairwise_f1
from handshift.metrics.named import METRICS
from handshift.metrics.scored import UnmeasurableError, as_scored


def test_pairs_of_one_group_are_counted():
    # Of aa|bbb and xxxx|y: 4 true pairs, 6 found ones, and 2 that are both.
    assert pairwise_f1(list("aabbb"), list("xxxxy")) == pytest.approx(2 * 2 / (4 + 6))
    assert pairwise_f1(list("aabbb"), list("xxxyy")) == pytest.approx(2 * 2 / (4 + 4))
    assert pairwise_f1(list("abcd"), list("wxyz")) == 1.0


def test_words_outside_of_the_best_matching_are_errors():
    assert assignment_error(list("aabbb"), list("xxxxy")) == pytest.approx(2 / 5)
    assert assignment_error(list("aabbb"), list("yyxxx")) == 0.0


@pytest.mark.parametrize(("truth", "found"), [("aab", "xy"), ("", "")])
def test_groupings_of_other_items_are_refused(truth: str, found: str):
    with pytest.raises(ValueError, match="wanted equally many"):
        pairwise_f1(list(truth), list(found))


def test_devpav_is_the_area_between_a_ratio_and_its_transform():
    # Share of positives 0, 1/3, 1/2, 3/4, 1 at five values; the first and the last have no finite transform.
    values = [-3.0] + [-0.3] * 3 + [0.1] * 2 + [0.3] * 4 + [3.0]
    labels = [0, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1]
    prior = np.log10(6 / 5)
    at, transformed = [-0.3, 0.1, 0.3], np.log10([1 / 2, 1, 3]) - prior
    x = np.linspace(-0.3, 0.3, 600_001)
    apart = np.abs(np.interp(x, at, transformed - np.array(at)))
    assert devpav(labels, values) == pytest.approx(np.trapezoid(apart, x) / 0.6, abs=1e-9)


def test_devpav_of_one_value_and_of_none():
    assert devpav([0, 0, 1, 1], [-1.0, 0.4, 0.4, 2.0]) == pytest.approx(0.4)
    assert np.isnan(devpav([0, 0, 1, 1], [-2.0, -1.0, 1.0, 2.0]))


def test_the_interval_holds_the_middle_95_percent_of_a_thousand_draws():
    groups = np.repeat(np.arange(12), 3)
    values = np.random.default_rng(4).normal(size=36)
    drawn = [values[sample].mean() for sample in draw_groups(groups, 1000, 0)]
    found = bootstrap_interval(groups, lambda sample: float(values[sample].mean()))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert found.value == pytest.approx(values.mean())
    assert found.draws == 1000


@pytest.mark.parametrize(("measured", "enough"), [(5, True), (4, False)])
def test_half_of_the_draws_must_be_measurable(measured: int, enough: bool):
    calls = iter(range(11))

    def statistic(_: np.ndarray) -> float:
        if measured <= next(calls) < 10:
            raise UnmeasurableError("one class only")
        return 1.0

    if enough:
        assert bootstrap_interval([0, 1], statistic, repeats=10).draws == measured
    else:
        with pytest.raises(UnmeasurableError, match="4 of 10 draws"):
            bootstrap_interval([0, 1], statistic, repeats=10)


def test_a_threshold_lies_halfway_to_the_next_lower_score():
    assert choose_threshold([0, 0, 1, 1], [0.0, 1.0, 3.0, 7.0]) == 2.0
    assert choose_threshold([0, 1, 1], [0.0, 1.0, 2.0]) == 0.5
    # Nothing is lower than the lowest score, which is chosen where everything is best called positive.
    assert choose_threshold([1, 0, 1, 1, 1], [0.0, 1.0, 2.0, 3.0, 4.0]) == 0.0


@pytest.mark.parametrize("criterion", ["f1", "accuracy"])
def test_false_alarms_among_many_negatives_are_counted(criterion: Criterion):
    scores = [5.0, 2.0, 4.0, 3.5, 3.0, 1.0, 0.0, 0.0, 0.0]
    assert choose_threshold([1, 1] + [0] * 7, scores, criterion) == 4.5


def test_a_rate_without_cases_is_nought():
    assert Decisions(0, 0, 3, 2).precision == 0.0
    assert Decisions(1, 1, 0, 0).precision == 0.5


def test_labels_of_one_class_are_refused():
    for labels in ([1, 1], [0, 0]):
        with pytest.raises(UnmeasurableError, match="both classes"):
            as_scored(labels, [0.0, 1.0])


def test_every_metric_says_what_guessing_gives_and_which_way_is_better():
    labels = [1, 0, 0, 0]
    assert {name: metric.trivial(labels) for name, metric in METRICS.items()} == pytest.approx(
        {
            "auroc": 0.5,
            "tpr_at_1": 0.01,
            "tpr_at_5": 0.05,
            "tar_at_1e-4": 1e-4,
            "tar_at_1e-5": 1e-5,
            "eer": 0.5,
            "cllr": 1.0,
            "f1": 0.4,
            "precision": 0.25,
            "recall": 1.0,
            "accuracy": 0.75,
            "false_positive_rate": 1.0,
        }
    )
    lower = {name for name, metric in METRICS.items() if not metric.higher_is_better}
    assert lower == {"eer", "cllr", "false_positive_rate"}
    deciding = {name for name, metric in METRICS.items() if metric.needs_threshold}
    assert deciding == {"f1", "precision", "recall", "accuracy", "false_positive_rate"}


def test_a_fold_is_decided_by_items_that_share_no_writer_with_it():
    random = np.random.default_rng(3)
    writers = random.integers(0, 6, (60, 2))
    labels = (writers[:, 0] == writers[:, 1]).astype(int)
    labels[:20] = random.integers(0, 2, 20)
    scores = np.round(random.normal(size=60) + labels, 1)
    fold_of = np.empty(6, int)
    fold_of[np.random.default_rng(0).permutation(6)] = [0, 1, 2, 0, 1, 2]
    right = []
    for fold in range(3):
        apart = [place for place in range(60) if fold not in fold_of[writers[place]]]
        own = [place for place in range(60) if fold_of[writers[place, 0]] == fold]
        threshold = choose_threshold(labels[apart], scores[apart], "accuracy")
        right.append(np.mean([(scores[place] >= threshold) == labels[place] for place in own]))
    found = fold_accuracy(labels, scores, writers, folds=3)
    assert found.folds == 3
    assert found.mean == pytest.approx(np.mean(right))
    assert found.error == pytest.approx(np.sqrt(np.sum((right - np.mean(right)) ** 2) / 2 / 3))


def test_two_folds_are_enough_and_a_score_on_the_threshold_is_positive():
    # Each half chooses the threshold halfway between its own scores: 0.5, which is a score of the other.
    found = fold_accuracy([0, 1, 1, 0, 1, 1], [0.0, 1.0, 0.5, 0.0, 1.0, 0.5], list("aaabbb"), folds=2)
    assert found.folds == 2
    assert found.mean == 1.0


def test_a_region_counts_where_it_reaches_the_threshold_exactly():
    # One region of one value that all other pixels have too: at every false-positive rate it is found.
    masks = np.zeros((1, 4, 4), bool)
    masks[0, 0, 0] = True
    assert aupro(np.ones((1, 4, 4)), masks) == pytest.approx(1.0)
    # Found from a false-positive rate of 0.4 on: beyond the limit of 0.3, and half of twice that limit.
    values = np.linspace(0, 1, 26).reshape(1, 2, 13)
    masks = np.zeros((1, 2, 13), bool)
    masks[0, 1, 2] = True
    values[0, 1, 2] = np.quantile(values[~masks], 0.6)
    assert aupro(values, masks) == 0.0
    assert aupro(values, masks, limit=0.8) == pytest.approx(0.5, abs=0.01)


def test_ties_are_weighed_by_their_share_of_positives():
    # At 0 one of three is positive, at 1 both are; the odds of the labels are 3 to 2: LR 1/3, and infinite.
    missed, misled = np.log2(1 + 3) / 3, np.log2(1 + 1 / 3)
    assert cllr_min([0, 1, 0, 1, 1], [0.0, 0.0, 0.0, 1.0, 1.0]) == pytest.approx((missed + misled) / 2)
