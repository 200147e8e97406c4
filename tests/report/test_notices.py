"""Warnings in Korean: every one that pages and comparisons make has a translation that keeps its figures."""

from __future__ import annotations

import re

import pytest

from handshift.calibration.verbal_scale import Language
from handshift.page.pens import PenChange
from handshift.pipeline.comparer import SAME_FILE
from handshift.report.notices import notice
from handshift.report.problems import problem

PENS = PenChange(first=3, last=11, width_ratio=0.5, colour=30.0).sentence()
MADE = (
    PENS,
    f"letters/a.png: {PENS}",
    SAME_FILE,
    "a.png: 2 hands found (A 40 words, B 1 word); "
    "compared as if one person wrote all of it, and hand by hand",
    "this page is itself enrolled, as 'Ada'; it agrees with itself",
    "not compared: b.png: the file is empty; copy or scan it again",
    "b.png, page 3: the same file as a.png; it agrees with itself",
    "c.png was skipped: no ink",
    "corrected by hand (2 corrections by Ada); as computed without them, log10 LR +1.20",
)


@pytest.mark.parametrize("english", MADE)
def test_a_warning_has_its_korean_and_keeps_its_figures(english: str):
    korean = notice(english, Language.ko)
    assert re.search("[가-힣]", korean) and "{" not in korean
    assert set(re.findall(r"\d+(?:\.\d+)?", english)) <= set(re.findall(r"\d+(?:\.\d+)?", korean))
    assert notice(english, Language.en) == english


def test_a_sentence_of_its_own_stays():
    assert notice("an odd remark", Language.ko) == "an odd remark"


def test_both_parts_of_a_change_of_pen_are_joined():
    assert notice(PENS, Language.ko) == (
        "두 가지 필기구로 쓴 것으로 보입니다: 4번부터 12번까지의 단어는 획의 굵기가 1/2.0배이고 "
        "잉크의 색이나 농도가 다릅니다. 필기구가 다르다고 필적이 다른 것은 아닙니다"
    )


PROBLEMS = (
    "no such file or folder; check the spelling",
    "no scans in this folder (looked for .png, .pdf)",
    "the file is empty; copy or scan it again",
    "not an image of a kind handshift reads; give it PNG or PDF",
    "cannot be decoded (ValueError: odd); copy or export it again",
    "the PDF is encrypted; save a copy without a password",
    "found no word on page 2; the page seems to be blank",
    "found no legible word on page 1; there is no handwriting to examine, only 12 × print",
    "not well-formed XML (line 3); export it again",
    "page 2 of the PDF is damaged (odd); export it again",
    "page 2 of the image is damaged or cut short (odd); copy it again",
    "describes a page of 100×200, but the scan has 200×100 pixels; it belongs to another scan or one that is "
    "rotated",
    "a list needs two entries with a legible word each, got 1",
    "family: no gallery here; make one with `handshift enroll NAME PAGES`",
    "out.html: exists and was not written by handshift. Choose another name, or remove it.",
    "found 1 legible word, needs at least 4",
    "found 5 legible words, 4 of them copies of another; needs at least 4 that differ",
    "found 6,000 legible words; at most 1,500 are compared at once, so examine the page in parts",
)


@pytest.mark.parametrize("english", PROBLEMS)
def test_a_problem_of_a_file_is_said_in_korean(english: str):
    korean = problem(english, Language.ko)
    assert re.search("[가-힣]", korean) and "처리할 수 없습니다" not in korean
    assert problem(english, Language.en) == english


def test_a_problem_without_translation_is_said_in_general_with_its_english():
    assert problem("an odd thing", Language.ko) == "처리할 수 없습니다(an odd thing)"
