"""Verdicts as JSON, and likelihood ratios in words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from handshift.attribution.verdict import Verdict
from handshift.calibration.verbal_scale import Language, support, times
from handshift.core.errors import PageError
from handshift.demo import ONE_HAND
from handshift.pipeline.examiner import Examiner
from handshift.report.findings_record import failure_record, page_record, run_json


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return next(Examiner().examine(ONE_HAND))


def test_a_run_reads_back_as_it_was(verdict):
    pages = [
        page_record(verdict),
        failure_record(PageError("torn.png", "the file is empty", sha256="0" * 64)),
    ]
    read = json.loads(run_json("words-2", pages))
    assert read["pages"] == pages
    assert list(read) == ["schema", "handshift", "model", "run", "complete", "pages"]


def test_a_run_without_pages_is_json_too():
    assert json.loads(run_json("words-2", []))["pages"] == []


def test_a_score_is_null_only_with_an_error(verdict):
    assert page_record(verdict)["score"] is not None and page_record(verdict)["error"] is None
    failure = failure_record(PageError("torn.png", "the file is empty"))
    assert failure["score"] is None and failure["error"] == "the file is empty"
    assert failure.keys() == page_record(verdict).keys()


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_is_refused(verdict, bad):
    with pytest.raises(PageError, match="not a number"):
        page_record(replace(verdict, score=bad))


def test_odd_file_names_are_still_utf_8():
    run_json("words-2", [failure_record(PageError("\udcff.png", "\udcff.png is odd"))]).encode("utf-8")


@pytest.mark.parametrize(
    ("log10_lr", "words"),
    [
        (0.0, "no support for either side"),
        (0.5, "weak support for more than one hand"),
        (-1.0, "moderate support for one hand"),
        (2.5, "moderately strong support for more than one hand"),
        (-3.2, "strong support for one hand"),
        (5.9, "very strong support for more than one hand"),
        (6.0, "extremely strong support for more than one hand"),
    ],
)
def test_support_follows_the_enfsi_scale(log10_lr, words):
    assert support(log10_lr) == words


def test_support_in_korean():
    assert support(1.5, Language.ko) == "두 사람 이상의 필적을 어느 정도 뒷받침함"


@pytest.mark.parametrize(("log10_lr", "ratio"), [(0.5, "3.2"), (-1.0, "10"), (2.345, "220"), (4.0, "10,000")])
def test_ratios_have_two_digits(log10_lr, ratio):
    assert times(log10_lr) == ratio
