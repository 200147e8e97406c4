"""handshift verify: each side examined first, a report of both, and what was noted of the case."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from handshift.calibration.scope import Scope, ScopeReason
from handshift.calibration.scope_guard import ScopeGuard
from handshift.calibration.verbal_scale import WRITERS, Language, shipped_scale
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.pipeline.verifier import Verifier
from handshift.report.page_report import texts

HANGUL = re.compile("[가-힣]")


@pytest.fixture(scope="module")
def verifier() -> Verifier:
    return Verifier()


def test_several_hands_on_a_side_are_said_and_compared_one_by_one(verifier):
    found = verifier.verify(ONE_HAND, TWO_HANDS)
    comparison = found.comparison
    assert [side.hands.keys() for side in found.sides] == [{"A"}, {"A", "B"}]
    (warning,) = comparison.warnings
    assert "2 hands found" in warning and "two-hands.png" in warning
    same, other = comparison.by_hand
    assert (same.hands, other.hands) == (("A", "A"), ("A", "B"))
    assert same.log10_lr > 0 > other.log10_lr
    low, high = comparison.interval
    assert comparison.bounds[0] <= low <= high <= comparison.bounds[1]


def test_words_of_the_other_hand_speak_for_two_writers(verifier):
    _, two = verifier.verify(ONE_HAND, TWO_HANDS).sides
    influence = two.pages[0].influence
    assert (influence[46:58] < 0).all()  # words 46 to 60 are by another scribe
    assert sum(influence[:40] > 0) > 25


def test_a_page_against_itself_has_one_hand_a_side_and_no_hand_by_hand(verifier):
    comparison = verifier.verify(ONE_HAND, ONE_HAND).comparison
    assert comparison.by_hand == () and "the same file is on both sides" in comparison.warnings[0]
    assert comparison.log10_lr > 0


def test_a_blank_page_in_a_folder_is_a_warning(verifier, tmp_path):
    from PIL import Image

    shutil.copy(ONE_HAND, tmp_path / "1.png")
    Image.new("RGB", (600, 800), "white").save(tmp_path / "2.png")
    comparison = verifier.verify(tmp_path, TWO_HANDS).comparison
    assert any("not compared" in warning and "2.png" in warning for warning in comparison.warnings)


def test_report_and_json_carry_the_finding_and_the_case(run):
    done = run(
        *("verify", ONE_HAND, TWO_HANDS, "--out", "report", "--json", "found.json", "--pdf"),
        *("--case", "2026-17", "--examiner", "<b>Kim</b>"),
    )
    assert done.code == 0, done.err
    assert "support for one writer" in done.out and "2 hands found" in done.out
    found = json.loads(Path("found.json").read_text("utf-8"))
    assert found["case"] == {"case": "2026-17", "examiner": "<b>Kim</b>"}
    assert len(found["by_hand"]) == 2 and len(found["log10_lr_interval"]) == 2
    rates = [rate for _, rate in found["strangers"][1:]]
    assert rates == sorted(rates, reverse=True) and 0 <= found["strangers"][0][1] <= 1
    (page,) = Path("report").glob("*.html")
    html = page.read_text("utf-8")
    assert "The score in context" in html and "comparisons with other writers" in done.out
    assert "2026-17" in html and "<b>Kim" not in html and "Hand by hand" in html
    assert html.count("<image id=") == 2 and "Not validated for casework" in html
    assert page.with_suffix(".pdf").read_bytes().startswith(b"%PDF")


def test_korean_output_has_no_english_sentence(run, letter):
    done = run("verify", letter, letter, "--lang", "ko")
    assert done.code == 0, done.err
    for line in done.out.splitlines():
        if "같은" not in line and "warning" not in line and "the same file" not in line:
            assert HANGUL.search(line), line
    examined = run("examine", letter, "--lang", "ko", "--no-report")
    assert all(HANGUL.search(line) for line in examined.out.splitlines()), examined.out


def test_the_verbal_scale_names_writers():
    scale = shipped_scale()
    assert scale.support(1.2, Language.en, WRITERS) == "moderate support for one writer"
    assert scale.support(-1.2, Language.ko, WRITERS) == "두 사람의 필적을 어느 정도 뒷받침함"


def test_both_languages_have_the_same_texts_and_one_word_for_the_ratio():
    english, korean = texts(Language.en), texts(Language.ko)
    assert english.keys() == korean.keys()
    assert not any("가능도비" in text for text in korean.values())
    for name, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", korean[name])), name


def test_findings_are_a_table_and_identical_files_are_said(run, letter):
    for name in ("1.png", "=2.png"):
        shutil.copy(letter, name)
    done = run("examine", ".", "--csv", "found.csv", "--note", "-1", "--out", "report")
    assert done.code == 0, done.err
    assert "the same file as" in done.out
    content = Path("found.csv").read_bytes().decode("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(content)))
    assert len(rows) == 2 and len({row["sha256"] for row in rows}) == 1
    assert all(row["note"] == "'-1" for row in rows)  # no spreadsheet takes it for a formula
    assert sum("the same file as" in row["warnings"] for row in rows) == 1
    assert run("examine", "1.png", "--csv", "found.csv", "--no-report").code == 0  # its own table is replaced
    index = Path("report/index.html").read_text("utf-8")
    assert 'id="pages"' in index and "aria-sort" in index


def test_a_withheld_ratio_is_not_printed(run, monkeypatch):
    outside = Scope((ScopeReason("script", 0.0),))
    monkeypatch.setattr(ScopeGuard, "judge", lambda self, *given: replace(outside, forced=self.force))
    done = run("verify", ONE_HAND, TWO_HANDS)
    assert done.code == 5 and "Can't tell" in done.out
    assert "towards" not in done.out and "is reached in about" not in done.out
    assert "towards" in run("verify", ONE_HAND, TWO_HANDS, "--force").out
