"""The validation matrix holds measurements against criteria; bounds and devPAV agree with the references."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from lir.algorithms.invariance_bounds import calculate_invariance_bounds
from lir.metrics.devpav import devpav as lir_devpav

from handshift.calibration.invariance_bounds import invariance_bounds, source_bounds
from handshift.calibration.labelled_scores import LabelledScores
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import HandshiftError
from handshift.metrics import devpav
from handshift.report.about_run import in_language
from handshift.validation.likelihood_ratios import Setting, SettingPerformance, performance
from handshift.validation.matrix import load_criteria, validation_matrix


def ratios(spread: float, seed: int = 0) -> LabelledScores:
    rng = np.random.default_rng(seed)
    names = np.array([f"w{k % 15}" for k in range(150)])
    return LabelledScores.of(rng.normal(spread, 0.7, 150), rng.normal(-spread, 0.7, 150), names, names)


def measured(name: str, spread: float) -> SettingPerformance:
    known = ratios(spread)
    found = performance(known)
    return SettingPerformance(Setting(name, None, (0.2,)), found, found, found, known, 14.0)


@pytest.mark.parametrize("seed", range(3))
def test_invariance_bounds_and_devpav_agree_with_lir(seed):
    known = ratios(0.6, seed)
    low, high, *_ = calculate_invariance_bounds(10.0**known.scores, known.first.astype(int))
    assert invariance_bounds(known.scores, known.first) == pytest.approx(
        (np.log10(low), np.log10(high)), abs=2e-3
    )
    reference = lir_devpav(known.scores, known.first.astype(int))
    assert devpav(known.first, known.scores) == pytest.approx(reference, abs=1e-6)


def test_the_bound_of_n_sources_is_its_logarithm():
    assert source_bounds(100) == (-2.0, 2.0)


def test_every_criterion_is_measured_and_decided():
    names = [one.setting for one in load_criteria()] + ["14 words, 30 %"]
    found = [measured(name, 0.3 if name.startswith("14") else 1.0) for name in dict.fromkeys(names)]
    matrix = validation_matrix(found, load_criteria(), writers=15)
    assert len(matrix.rows) == len(load_criteria())
    assert {row.criterion.characteristic for row in matrix.rows} >= {"accuracy", "coherence"}
    (coherence,) = (row for row in matrix.rows if row.criterion.characteristic == "coherence")
    assert coherence.passed and coherence.figure.value > 0
    assert "14 words, 20 to 50 %" in matrix.settings(usable=False)
    assert json.loads(json.dumps(matrix.record()))["not_for"] == list(matrix.settings(usable=False))


def test_a_setting_that_was_not_measured_is_not_usable():
    found = [measured(name, 1.0) for name in {one.setting for one in load_criteria()} if "14" not in name]
    matrix = validation_matrix(found, load_criteria(), writers=15)
    unmeasured = {row.criterion.characteristic for row in matrix.rows if row.figure is None}
    assert unmeasured == {"coherence", "generalisation"}  # the gain over 14 words, and 14 words
    assert {"whole page, 30 %", "14 words, 20 to 50 %"} <= set(matrix.settings(usable=False))
    assert "whole page, 30 %; 14 words, 20 to 50 %. Without a criterion: none." in matrix.sentence()
    silent = validation_matrix([*found, measured("14 words, 50 %", 1.0)], load_criteria(), writers=15)
    assert silent.sentence().endswith("Without a criterion: 14 words, 50 %.")
    record = next(one for one in matrix.record()["rows"] if one["characteristic"] == "coherence")
    assert record["value"] is None and not record["passed"]


def test_metrics_and_pages_are_said_in_words():
    said = {language: in_language(language) for language in Language}
    for one in load_criteria():
        for name in (one.metric, one.against):
            assert "_" not in said[Language.en](name) and said[Language.ko](name)


GOOD = {
    "characteristic": "accuracy",
    "metric": "cllr",
    "setting": "whole page, 20 %",
    "against": "both",
    "at_most": 0.3,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"characteristic": "beauty"}, "no characteristic 'beauty'"),
        ({"metric": "cllrs"}, "no metric 'cllrs'; known are cllr;"),
        ({"setting": "whole page 20 %"}, "no setting 'whole page 20 %'; known are whole page, 10 %;"),
        ({"against": "one"}, "no against 'one'; known are single; spliced; both"),
        ({"metric": "cllr_gain"}, "no than ''"),
        ({"metric": "devpav", "against": "single"}, "devpav is measured on all documents"),
        ({"at_least": 0.1}, "at_most or at_least, one of the two"),
        ({"nonsense": 1}, "not a list of criteria"),
    ],
)
def test_bad_criteria_are_refused(tmp_path, change, said):
    path = tmp_path / "criteria.json"
    path.write_text(json.dumps([GOOD]))
    assert load_criteria(path)[0].at_most == 0.3
    path.write_text(json.dumps([GOOD | change]))
    with pytest.raises(HandshiftError, match=re.escape(said)):
        load_criteria(path)
