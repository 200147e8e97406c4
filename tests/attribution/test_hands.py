"""Hands are counted, separated in blocks and in scattered words, and linked across pages."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from handshift.attribution.changepoints import best_runs
from handshift.attribution.document import hand_name
from handshift.attribution.forward_backward import forward_backward
from handshift.attribution.hand_count_calibration import PRIOR, HandCountCalibration
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.likelihood import one_session, one_writer
from handshift.attribution.page_hands import analyse_page, assign_words, number_given, page_hands
from handshift.attribution.word_evidence import words_of_page
from handshift.calibration import CalibrationError
from handshift.core.errors import HandshiftError
from handshift.detect.plda import Plda
from handshift.metrics import assignment_error, pairwise_f1

DIMENSIONS = 12
MODEL = Plda(np.zeros(DIMENSIONS), np.eye(DIMENSIONS), np.full(DIMENSIONS, 1.5), np.full(DIMENSIONS, 0.15))
CALIBRATION = HandCountCalibration("m", "us", HmmSettings(weight=1.0), 1.0, (0.0, -3.0, -4.0, -5.0, -6.0))


def words(hands: list[int], seed: int = 0, sessions: int = 1) -> np.ndarray:
    """Words of these hands in reading order; in several sessions, each hand's halves differ by the day."""
    rng = np.random.default_rng(seed)
    people = rng.normal(0, np.sqrt(1.5), (max(hands) + 1, DIMENSIONS))
    days = rng.normal(0, np.sqrt(0.15), (sessions, DIMENSIONS))
    day = np.arange(len(hands)) * sessions // len(hands)
    return people[hands] + days[day] + rng.normal(0, 1, (len(hands), DIMENSIONS))


BLOCKS = {
    1: [0] * 60,
    2: [0] * 40 + [1] * 20,
    3: [0] * 25 + [1] * 15 + [2] * 20,
    4: sorted([0, 1, 2, 3] * 15),
}


@pytest.mark.parametrize("number", BLOCKS)
def test_hands_in_blocks_are_counted_and_separated(number):
    found = [page_hands(words(BLOCKS[number], seed), MODEL, CALIBRATION) for seed in range(5)]
    assert [one.hands for one in found].count(number) >= 4
    errors = [assignment_error(BLOCKS[number], one.ascribed) for one in found]
    assert np.median(errors) <= 0.04


def test_scattered_words_are_found_too():
    rng = np.random.default_rng(1)
    hands = (rng.random(60) < 0.25).astype(int).tolist()
    found = page_hands(words(hands, 3), MODEL, CALIBRATION)
    assert found.hands == 2 and assignment_error(hands, found.ascribed) <= 0.05


def test_one_person_on_two_days_is_one_hand():
    found = [page_hands(words([0] * 60, seed, sessions=2), MODEL, CALIBRATION).hands for seed in range(6)]
    assert found.count(1) >= 5


def test_the_hand_of_long_words_comes_first_though_another_made_more_marks():
    page = analyse_page(words([0] * 35 + [1] * 25), MODEL, CALIBRATION)
    found = assign_words(page.found, page.number, np.repeat([10.0, 40.0], [35, 25]))
    assert (found.ascribed[35:] == 0).mean() > 0.9 and found.foreign[:35].mean() > 0.9
    assert (page.page_hands.ascribed[:35] == 0).mean() > 0.9


def test_the_hand_of_most_words_comes_first_and_shares_are_probabilities():
    found = page_hands(words([0] * 15 + [1] * 45), MODEL, CALIBRATION)
    assert (found.ascribed[15:] == 0).mean() > 0.9 and found.foreign[:15].mean() > 0.9
    assert found.number.sum() == pytest.approx(1)
    assert (found.share >= 0).all() and (found.share.sum(axis=1) <= 1 + 1e-9).all()


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_pages_of_few_words_are_analysed(size):
    found = page_hands(words([0] * size), MODEL, CALIBRATION)
    assert found.share.shape[0] == size and found.number[size:].sum() == 0


def test_a_page_is_analysed_deterministically():
    page = words(BLOCKS[3], 7)
    assert (page_hands(page, MODEL, CALIBRATION).share == page_hands(page, MODEL, CALIBRATION).share).all()


def test_a_ratio_decides_one_against_several_and_keeps_their_proportions():
    number = np.array([0.5, 0.3, 0.1, 0.1, 0.0])
    found = number_given(number, log10_lr=1.0)
    assert found[1:].sum() == pytest.approx(10 / 11)
    assert found[1] / found[2] == pytest.approx(3)


def test_runs_are_found_where_they_are():
    page = words_of_page(words(BLOCKS[3], 2), MODEL, HmmSettings(weight=1.0))
    assert assignment_error(BLOCKS[3], best_runs(page, MODEL.writer, 5)[2]) <= 0.05


def test_a_shorter_row_counts_for_less():
    settings = HmmSettings(weight=1.0, length=2.0)
    rows = np.vstack([np.full(DIMENSIONS, 2.0), np.full(DIMENSIONS, 1.0)]) / np.sqrt(DIMENSIONS)
    usual, short = words_of_page(rows, MODEL, settings).count
    assert usual == pytest.approx(1) and short == pytest.approx(0.5)


def test_short_words_are_no_hand_of_their_own():
    """Their vectors lie nearer to nothing than the others', which is no reason to think of another person."""
    rng = np.random.default_rng(5)
    length = np.where(rng.random(70) < 0.3, 0.4, 1.0)
    hand = rng.normal(0, np.sqrt(1.5), DIMENSIONS) * 2
    page = length[:, None] * hand + np.sqrt(length)[:, None] * rng.normal(0, 1, (70, DIMENSIONS))
    typical = float(np.median(np.linalg.norm(page, axis=1)))
    knowing = HmmSettings(weight=1.0, length=typical)
    assert page_hands(page, MODEL, CALIBRATION).hands > 1
    assert page_hands(page, MODEL, replace(CALIBRATION, settings=knowing)).hands == 1


def test_forward_backward_agrees_with_enumerating_every_path():
    rng = np.random.default_rng(0)
    evidence, prior, loop = rng.normal(0, 1, (1, 5, 2)), np.array([[0.7, 0.3]]), np.array([0.6])
    share, likelihood = forward_backward(evidence.copy(), prior, loop)
    total, first = 0.0, np.zeros(2)
    for path in np.ndindex(*[2] * 5):
        chance = prior[0, path[0]] * np.exp(evidence[0, np.arange(5), path].sum())
        for one, two in pairwise(path):
            chance *= loop[0] * (one == two) + (1 - loop[0]) * prior[0, two]
        total += chance
        first[path[2]] += chance
    assert likelihood[0] == pytest.approx(np.log(total))
    assert share[0, 2] == pytest.approx(first / total)


def test_a_session_is_as_likely_as_its_joint_density():
    from scipy.stats import multivariate_normal

    rng = np.random.default_rng(0)
    x, v = rng.normal(0, 1, (4, 1)), np.array([0.7])
    joint = multivariate_normal(np.zeros(4), np.eye(4) + 0.7).logpdf(x[:, 0])
    alone = multivariate_normal(np.zeros(4), np.eye(4)).logpdf(x[:, 0])
    assert one_session(x.sum(axis=0), np.array(4.0), v) == pytest.approx(joint - alone)
    noise = np.full((4, 1), 0.5)
    shared = multivariate_normal(np.zeros(4), 0.5 * np.eye(4) + 0.7).logpdf(x[:, 0])
    apart = multivariate_normal(np.zeros(4), 0.5 * np.eye(4)).logpdf(x[:, 0])
    assert one_writer(x, noise, np.ones((1, 4), bool), v)[0] == pytest.approx(shared - apart)


def test_likeness_that_is_rare_counts_for_more_than_likeness_that_is_common():
    """Typicality: two equal means far from the population's mean are better evidence than two near it."""
    near, far = np.full((2, DIMENSIONS), 0.1), np.full((2, DIMENSIONS), 2.0)
    noise, both, each = np.full((2, DIMENSIONS), 0.2), np.ones((1, 2), bool), np.eye(2, dtype=bool)
    gain = [
        one_writer(m, noise, both, MODEL.writer).sum() - one_writer(m, noise, each, MODEL.writer).sum()
        for m in (near, far)
    ]
    assert gain[1] > gain[0] + 3


def test_names_go_on_after_z():
    assert [hand_name(place) for place in (0, 1, 25, 26, 27, 701, 702)] == [
        "A",
        "B",
        "Z",
        "AA",
        "AB",
        "ZZ",
        "AAA",
    ]


def test_the_prior_changes_the_number_of_hands():
    page = words(BLOCKS[2], 5)
    sure = (1.0, 0.0, 0.0, 0.0, 0.0)
    assert page_hands(page, MODEL, CALIBRATION, sure).hands == 1
    assert sum(PRIOR) == pytest.approx(1)


def test_a_calibration_of_hands_is_refused_beside_another_model(tmp_path):
    (tmp_path / "words.onnx").write_bytes(b"network")
    CALIBRATION.save(tmp_path / "hands.json")
    assert HandCountCalibration.load(tmp_path / "hands.json") == CALIBRATION
    (tmp_path / "words.onnx").write_bytes(b"another")
    with pytest.raises(CalibrationError, match="another model"):
        HandCountCalibration.load(tmp_path / "hands.json")
    (tmp_path / "hands.json").write_text("[]")
    with pytest.raises(HandshiftError, match="not a calibration of hands"):
        HandCountCalibration.load(tmp_path / "hands.json")


def test_errors_of_grouping_do_not_depend_on_names():
    assert assignment_error([0, 0, 1, 1], [5, 5, 2, 2]) == 0
    assert assignment_error([0, 0, 0, 1], [0, 0, 1, 1]) == pytest.approx(0.25)
    assert pairwise_f1([0, 0, 1], [0, 1, 2]) == 0 and pairwise_f1([0, 1, 2], [0, 1, 2]) == 1
    assert replace(CALIBRATION, scale=2.0).posterior(np.zeros(5)).sum() == pytest.approx(1)
