"""A model is validated on writers it does not know, and says what its ratios are worth."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import numpy as np
import pytest
from lir import metrics as lir_metrics
from lir.data.models import LLRData
from lir.plotting.expected_calibration_error import calculate_ece

from handshift.attribution.hand_count_calibration import HandCountCalibration
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.same_writer import SameWriter
from handshift.bag.pages import pages_of
from handshift.calibration import LabelledScores
from handshift.calibration.page_calibration import PageCalibration, SizedCalibration
from handshift.calibration.pair_calibration import (
    BoundedLine,
    PairCalibration,
    PairPropositions,
    SizedLine,
    Tail,
)
from handshift.calibration.propositions import Propositions
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import HandshiftError
from handshift.core.model_card import ModelCard
from handshift.detect.partition.partition_ratio import detect
from handshift.detect.plda import fit_plda
from handshift.report.run_header import Run
from handshift.validation.categories import category_of_pages
from handshift.validation.hand_counts import ValidatedModel
from handshift.validation.likelihood_ratios import chance_cal, performance
from handshift.validation.plots import cross_entropy, ece, pav, plots, tippett
from handshift.validation.protocol import validate, validation_html

WRITERS, WORDS, DIMENSIONS = 14, 44, 8


@dataclass
class Table:
    page: np.ndarray
    writer: np.ndarray
    session: np.ndarray
    prompt: np.ndarray


def collection(seed: int) -> tuple[Table, np.ndarray]:
    """Fourteen writers, one text in two sessions, two pages of it in each."""
    rng = np.random.default_rng(seed)
    page = np.repeat(np.arange(WRITERS * 4), WORDS)
    day = page // 2
    writer = day // 2
    vectors = (
        rng.normal(0, 1.3, (WRITERS, DIMENSIONS))[writer]
        + rng.normal(0, 0.3, (WRITERS * 2, DIMENSIONS))[day]
        + rng.normal(0, 1, (page.size, DIMENSIONS))
    )
    pages, writers_ = (np.char.add(letter, row.astype(str)) for letter, row in (("p", page), ("w", writer)))
    return Table(pages, writers_, day % 2, np.full(page.size, "t")), vectors


def ratios(seed: int = 0) -> LabelledScores:
    rng = np.random.default_rng(seed)
    names = np.array([f"w{k % 20}" for k in range(300)])
    first, second = rng.normal(1, 1, 300), rng.normal(-1, 1, 300)
    return LabelledScores.of(first, second, names, names)


@pytest.fixture(scope="module")
def validation():
    table, vectors = collection(1)
    covariances = fit_plda(vectors, table.writer, table.session, DIMENSIONS)
    rng = np.random.default_rng(0)
    names = np.array([f"w{k % 20}" for k in range(200)])
    known = LabelledScores.of(rng.normal(8, 6, 200), rng.normal(-6, 5, 200), names, names)
    context = PageCalibration("m", Propositions("two", "one", "us"), (SizedCalibration.fit(30, known),))
    hands = HandCountCalibration("m", "us", HmmSettings(weight=0.8), 0.6, (0.0, -3.0, -4.0, -4.5, -5.0))
    line = BoundedLine(0.2, 0.0, -2.0, 2.0)
    pairs = PairCalibration(
        "m", PairPropositions("one", "two", "us"), (SizedLine(30.0, line, Tail(0.0, 1.0)),)
    )
    validated = ValidatedModel(
        covariances,
        context,
        hands,
        lambda words: detect(words, covariances).score,
        SameWriter.of(covariances, pairs),
    )
    fresh, seen = collection(2)
    pages = pages_of(fresh, np.unique(fresh.writer))
    pens = {page.key: "gel" if k < 6 * 4 else "pencil" for k, page in enumerate(pages) if k < 10 * 4}
    few = {page.key: "brush" for page in pages[-4:]}
    return validate(
        pages,
        seen,
        validated,
        model="m",
        data="drawn",
        documents=40,
        shared=6,
        linked=1,
        category=pens | few,
    )


def test_categories_are_measured_where_enough_people_wrote_such_pages(validation):
    found = {one.name: one for one in validation.categories}
    assert {name: one.writers for name, one in found.items()} == {"brush": 1, "gel": 6, "pencil": 4}
    assert found["gel"].pages == 24 and found["gel"].ratios.both.cllr.value < 1
    assert found["brush"].ratios is None and found["pencil"].ratios is None
    assert "against_both" in validation.record()["categories"]["gel"]


def test_a_column_of_the_manifest_names_the_categories(tmp_path):
    (tmp_path / "manifest.csv").write_text("path,writer,pen\na/1.png,a,gel\na/2.png,a,\n", "utf-8")
    assert category_of_pages(tmp_path, "pen") == {"a/1.png": "gel"}
    with pytest.raises(HandshiftError, match="lacks the column 'ink'"):
        category_of_pages(tmp_path, "ink")
    with pytest.raises(HandshiftError, match="manifest"):
        category_of_pages(tmp_path / "none", "pen")


def test_a_korean_validation_names_settings_and_criteria_in_korean(validation):
    from handshift.validation.matrix import load_criteria, validation_matrix

    matrix = validation_matrix(validation.ratios, load_criteria(), validation.writers)
    card = ModelCard("m", "", "", "", "", "")
    run = Run(card, datetime(2026, 1, 1, tzinfo=UTC), {}, Language.ko)
    html = validation_html(validation, run, matrix)
    assert "쪽 전체, 20 %" in html and "정확성" in html and "범주별 결과" in html
    source = re.sub(r"<style.*?</style>|src: url\([^)]*\)", "", html, flags=re.S)
    shown = re.sub(r"<[^>]+>", "\n", source)
    assert not re.findall(r"(?:[A-Za-z]{3,} ){2,}[A-Za-z]{2,}", shown)


def test_every_setting_is_measured_against_one_session_and_spliced(validation):
    assert [one.setting.name for one in validation.ratios][:2] == ["whole page, 10 %", "whole page, 20 %"]
    for one in validation.ratios:
        assert one.single.cllr.value < 0.6 and one.spliced is not None
        assert one.both.cases == (40, 80)
        assert one.both.cllr.low <= one.both.cllr.value <= one.both.cllr.high


def test_hands_are_counted_words_ascribed_and_pages_linked(validation):
    kinds = {one.kind: one for one in validation.counts}
    assert kinds["one"].exact.value == 1 and kinds["one"].trivial_error == 0
    assert kinds["2"].word_error.value < 0.1 < kinds["2"].trivial_error
    assert sum(kinds["3"].estimated) == 6
    assert validation.links is None  # nobody has the seven pages that a third of twenty asks for


def test_the_report_holds_every_figure_and_asks_for_nothing(validation):
    card = ModelCard("m", "s", "t", "c", "t", "l")
    for language in Language:
        html = validation_html(validation, Run(card, datetime(2026, 1, 1, tzinfo=UTC), {}, language))
        for one in validation.ratios:
            assert f"{one.both.cllr.value:.3f}" in html
        assert html.count('class="plot"') == 6 and "http://" not in html.replace("http://www.w3.org", "")


def test_figures_are_plain_data(validation):
    import json

    record = json.loads(json.dumps(validation.record(), allow_nan=False))
    page = record["likelihood_ratios"]["whole page, 20 %"]["against_one_session"]
    assert set(page["cllr"]) == {"value", "interval"} and page["cases"] == [40, 40]


def test_three_writers_validate_nothing():
    table, vectors = collection(1)
    pages = pages_of(table, ["w0", "w1", "w2"])
    with pytest.raises(HandshiftError, match="at least 10 writers, got 3"):
        validate(pages, vectors, cast(Any, None), model="m", data="d")


def test_performance_agrees_with_lir():
    known = ratios()
    found, theirs = performance(known), LLRData(features=known.scores, labels=known.first.astype(int))
    assert found.cllr.value == pytest.approx(lir_metrics.cllr(theirs), abs=1e-6)
    assert found.cllr_min.value == pytest.approx(lir_metrics.cllr_min(theirs), abs=1e-6)
    assert found.cllr_cal.value == pytest.approx(lir_metrics.cllr_cal(theirs), abs=1e-6)


def test_chance_alone_makes_calibrated_ratios_look_less_so_the_fewer_they_are():
    """Two normal curves one standard deviation from even: the score is twice its own natural log ratio."""
    rng = np.random.default_rng(0)
    few, many = (
        LabelledScores.of(*(rng.normal(side, np.sqrt(2), size) / np.log(10) for side in (1, -1)))
        for size in (60, 2000)
    )
    assert 0.03 < chance_cal(few) < 0.3 and 0 < chance_cal(many) < 0.02
    assert performance(many).cllr_cal.value < 3 * chance_cal(many)


def test_misleading_evidence_is_counted_both_ways():
    known = LabelledScores.of([-2.0, 0.5, 1.0, 1.0], [0.5, 1.5, -1.0, -1.0], ["a", "b"] * 2, ["a", "b"] * 2)
    found = performance(known)
    assert found.misleading_first.value == 0.25 and found.misleading_second.value == 0.5
    assert found.strongly_misleading.value == 0.25


def test_cross_entropy_agrees_with_lir():
    known = ratios()
    prior = np.linspace(-2, 2, 9)
    theirs = calculate_ece(10**known.scores, known.first.astype(int), 1 / (1 + 10**-prior))
    assert cross_entropy(known.scores, known.first, prior) == pytest.approx(theirs, abs=1e-6)


def test_no_curve_goes_beyond_what_was_observed():
    known = ratios()
    low, high = known.scores.min(), known.scores.max()
    shares, best, entropy = tippett(known), pav(known), ece(known)
    for x, _ in (shares.first, shares.second):
        assert low <= x.min() and x.max() <= high
    assert low <= best.given.min() and best.given.max() <= high and np.isfinite(best.best).all()
    assert np.abs(entropy.prior).max() <= max(-low, high) + 1e-9
    assert all("nan" not in plot and "inf" not in plot for plot in plots(known))
