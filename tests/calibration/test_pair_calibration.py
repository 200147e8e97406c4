"""Comparisons are calibrated on held-out writers for sets of every size, with a tail of different writers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from handshift.attribution.identification import posterior
from handshift.bag.page_pairs import page_pairs
from handshift.bag.pages import pages_of
from handshift.calibration.calibrate_pairs import calibrate_pairs
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.logistic import Logistic
from handshift.calibration.pair_calibration import PairCalibration, words_of_pair
from handshift.core.errors import HandshiftError
from handshift.detect.plda import fit_plda, log_ratios
from handshift.embedding.mean_length import MeanLength
from handshift.embedding.prototypes import prototypes
from handshift.metrics import cllr, cllr_cal


@dataclass
class Table:
    page: np.ndarray
    writer: np.ndarray
    session: np.ndarray
    prompt: np.ndarray


def hands(writers: int, seed: int, sessions: int = 2) -> tuple[Table, np.ndarray]:
    """x = writer + session + word in six dimensions; two prompts in each session, twelve words a page."""
    rng = np.random.default_rng(seed)
    page = np.repeat(np.arange(writers * sessions * 2), 12)
    day = page // 2
    writer = day // sessions
    vectors = (
        rng.normal(0, 1.0, (writers, 6))[writer]
        + rng.normal(0, 0.4, (writers * sessions, 6))[day]
        + rng.normal(0, 1.5, (page.size, 6))
    )
    pages, writers_ = (np.char.add(letter, row.astype(str)) for letter, row in (("p", page), ("w", writer)))
    return Table(pages, writers_, day % sessions, np.char.add("t", (page % 2).astype(str))), vectors


@pytest.fixture(scope="module")
def context() -> PairCalibration:
    table, vectors = hands(40, seed=1)
    return calibrate_pairs(
        CalibrationData(table, vectors, sorted(set(table.writer)), "m", "us", 1, dimensions=4)
    )


@pytest.mark.parametrize("sizes", [(1, 1), (4, 4), (3, 12), (12, 12)])
def test_ratios_of_new_writers_are_calibrated(context, sizes):
    table, vectors = hands(40, seed=1)
    covariances = context.widened(fit_plda(vectors, table.writer, table.session, 4))
    new, fresh = hands(60, seed=2)
    pairs = page_pairs(pages_of(new, np.unique(new.writer)))
    rng = np.random.default_rng(0)
    one = prototypes([fresh[a] for a, _ in pairs.word_rows(sizes[0], rng)])
    two = prototypes([fresh[b] for _, b in pairs.word_rows(sizes[1], rng)])
    score, size = log_ratios(one, two, covariances), words_of_pair(one.counts, two.counts)
    log10_lr = context.log10_lr(score, size)
    assert cllr(pairs.same, log10_lr) < 0.97  # 1 is what saying nothing costs
    assert cllr_cal(pairs.same, log10_lr) < 0.08
    different = context.weight(score, size)[~pairs.same]
    passed = [(different >= context.threshold(float(size[0]), 1, rate)).mean() for rate in (0.1, 0.01)]
    assert passed[0] == pytest.approx(0.1, abs=0.05) and passed[1] == pytest.approx(0.01, abs=0.008)


def test_pairs_are_scored_with_the_session_variance_that_was_calibrated(context):
    table, vectors = hands(10, seed=1)
    given = fit_plda(vectors, table.writer, table.session, 4)
    wider = replace(context, session_factor=4.0).widened(given)
    assert wider.session == pytest.approx(4 * given.session)
    assert wider.writer is given.writer
    same = prototypes([vectors[:12], vectors[24:36]])
    assert log_ratios(same[:1], same[1:], wider) != pytest.approx(log_ratios(same[:1], same[1:], given))


def test_a_case_of_weight_three_counts_as_three_cases():
    rng = np.random.default_rng(7)
    scores, label = np.concatenate([rng.normal(1, 1, 30), rng.normal(-1, 1, 50)]), np.arange(80) < 30
    often = rng.integers(1, 4, 80)
    weighted = Logistic.fit(LabelledScores(scores, label), often.astype(float))
    repeated = Logistic.fit(LabelledScores(np.repeat(scores, often), np.repeat(label, often)))
    assert weighted.slope == pytest.approx(repeated.slope)
    assert weighted.offset == pytest.approx(repeated.offset)
    assert weighted.slope != pytest.approx(Logistic.fit(LabelledScores(scores, label)).slope)


def test_every_database_counts_alike_however_many_pairs_it_has(monkeypatch):
    table, vectors = hands(40, seed=5)
    first = np.isin(table.writer, np.unique(table.writer)[:30])
    table.writer = np.char.add(np.where(first, "many/", "few/"), table.writer)
    given, fit = [], vars(Logistic)["fit"].__func__

    def recorded(cls, known, weight=None):
        given.append((known.first, weight))
        return fit(cls, known, weight)

    monkeypatch.setattr(Logistic, "fit", classmethod(recorded))
    calibrate_pairs(CalibrationData(table, vectors, sorted(set(table.writer)), "m", "us", 1, dimensions=4))
    for label, weight in given:
        for kind in (label, ~label):
            assert np.unique(weight[kind]).size == 2
            assert [weight[kind & (weight == one)].sum() for one in np.unique(weight[kind])] == pytest.approx(
                [1, 1]
            )


def test_pairs_share_no_prompt_and_no_session():
    table, _ = hands(6, seed=3)
    pages = pages_of(table, np.unique(table.writer))
    pairs = page_pairs(pages)
    for (one, two), same in zip(pairs.at, pairs.same, strict=True):
        assert pages[one].prompt != pages[two].prompt
        assert not same or pages[one].session != pages[two].session
    assert pairs.same.sum() == 6 * 2


def test_pages_of_two_databases_are_never_a_pair():
    table, _ = hands(6, seed=3)
    first = np.isin(table.writer, np.unique(table.writer)[:3])
    table.writer = np.char.add(np.where(first, "one/", "two/"), table.writer)
    table.prompt[~first] = "two"  # no copied texts
    pages = pages_of(table, np.unique(table.writer))
    pairs = page_pairs(pages)
    databases = np.array([page.database for page in pages])[pairs.at]
    assert (databases[:, 0] == databases[:, 1]).all()
    for name, texts_differ in (("one", True), ("two", False)):
        own = pairs.same & (databases[:, 0] == name)
        assert own.any()
        assert {pages[one].prompt != pages[two].prompt for one, two in pairs.at[own]} == {texts_differ}


def test_where_no_day_is_known_other_pages_will_do():
    table, _ = hands(6, seed=3)
    table.session[:] = 0
    assert page_pairs(pages_of(table, np.unique(table.writer))).same.sum() == 6 * 4


def test_more_words_support_stronger_statements(context):
    lowest, highest = context.bounds([1, 12])
    assert highest[1] > highest[0] > 0 > lowest[0] > lowest[1]
    assert context.log10_lr(1e9, 12) == highest[1]
    assert context.bounds(500)[1] == highest[1]  # beyond the largest size nothing more is claimed


def test_a_larger_gallery_asks_for_more(context):
    rising = [context.threshold(12, people, 0.01) for people in (1, 10, 100)]
    assert rising[0] < rising[1] < rising[2]
    assert context.threshold(12, 10, 0.01) == pytest.approx(context.threshold(12, 1, 0.001))


def test_a_context_is_read_back_as_it_was_written(context, tmp_path):
    path = tmp_path / "comparison.json"
    context = replace(context, session_factor=2.0, length=MeanLength(0.3, 0.5))
    context.save(path)
    assert PairCalibration.load(path) == context
    replace(context, length=None).save(path)
    assert PairCalibration.load(path).length is None
    path.write_text('{"sizes": []}')
    with pytest.raises(HandshiftError, match=r"comparison\.json: not a calibration"):
        PairCalibration.load(path)


def test_writers_of_one_page_each_cannot_calibrate():
    table, vectors = hands(12, seed=4, sessions=1)
    first = np.flatnonzero(np.char.endswith(table.prompt, "0"))
    one_page = Table(*(column[first] for column in vars(table).values()))
    with pytest.raises(HandshiftError, match="20 pairs of pages by one writer"):
        calibrate_pairs(
            CalibrationData(one_page, vectors[first], sorted(set(table.writer)), "m", "", 0, dimensions=4)
        )


def test_the_posterior_shares_out_one_probability():
    shares, none = posterior(np.array([2.0, -1.0]), prior=0.5, enrolled=2)
    # 0.25·100, 0.25·0.1 and 0.5
    assert shares == pytest.approx(np.array([25, 0.025]) / 25.525)
    assert shares.sum() + none == pytest.approx(1)
    assert posterior(np.array([2.0]), 0.5, 1000, unseen=0.0)[0][0] < 0.1
