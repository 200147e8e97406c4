"""Warnings and steps of a run in the language of the reader: findings keep them in English."""

from __future__ import annotations

import re

from handshift.calibration.verbal_scale import Language
from handshift.report.about_run import in_language
from handshift.report.problems import matched, problem

_KOREAN = (
    (
        r"(?P<file>(?:.+: )?)the page seems to be written with two pens: "
        r"words (?P<first>\d+) to (?P<last>\d+) have (?P<what>.+); another pen is not another hand",
        "{file}두 가지 필기구로 쓴 것으로 보입니다: {first}번부터 {last}번까지의 단어는 {what}. "
        "필기구가 다르다고 필적이 다른 것은 아닙니다",
    ),
    (
        r"the same file is on both sides; it agrees with itself",
        "같은 파일이 양쪽에 있습니다. 자기 자신과는 일치합니다",
    ),
    (
        r"(?P<name>.+): (?P<count>\d+) hands found \((?P<hands>.+)\); "
        r"compared as if one person wrote all of it, and hand by hand",
        "{name}: 필적 {count}개를 찾았습니다({hands}). "
        "모두 한 사람이 썼다고 보고 비교하고, 필적별로도 비교했습니다",
    ),
    (
        r"(?P<name>.+), page (?P<page>\d+): the same file as (?P<other>.+); it agrees with itself",
        "{name} {page}쪽: {other}와(과) 같은 파일입니다. 자기 자신과는 일치합니다",
    ),
    (
        r"this page is itself enrolled, as '(?P<name>.+)'; it agrees with itself",
        "이 문서 자체가 '{name}'(으)로 등록되어 있습니다. 자기 자신과는 일치합니다",
    ),
    (r"not compared: (?P<path>.+?): (?P<problem>.+)", "비교하지 않음: {path}: {problem}"),
    (r"(?P<name>.+) was skipped: no ink", "{name}: 글씨가 없어 건너뛰었습니다"),
    (r"(?P<name>.+) was skipped: (?P<what>.+)", "{name}: 건너뛰었습니다. {what}"),
    (
        r"corrected by hand \((?P<count>\d+) corrections by (?P<names>.+)\); as computed without them, "
        r"log10 LR (?P<lr>\S+)",
        "사람이 고쳤습니다({names}, {count}건). 고치지 않고 계산한 log10 LR은 {lr}입니다",
    ),
    (
        r"embedding (?P<words>[\d,]+) words? of (?P<writers>[\d,]+) writers?",
        "필자 {writers}명의 단어 {words}개를 벡터로 바꾸는 중",
    ),
    (r"(?P<setting>.+): Cllr (?P<cllr>[\d.]+)", "{setting}: Cllr {cllr}"),
    (r"hands counted", "필적의 수를 세었습니다"),
)
"""English sentences as they are made, and the same in Korean."""
_PARTS = (
    (r"strokes (\S+) times as wide", r"획의 굵기가 \1배입니다"),
    (r"strokes (\S+) times as thin", r"획의 굵기가 1/\1배입니다"),
    (r"ink of another colour or darkness", "잉크의 색이나 농도가 다릅니다"),
    (r"입니다 and ", "이고 "),
    (r"(\S+) (\d+) words?\b", r"\1 단어 \2개"),
)
"""What stands within them."""


def notice(english: str, language: Language) -> str:
    """A warning in the language of the reader; one without a translation stays as it is.

    Args:
        english: As findings keep it.
        language: Of the report.
    """
    return english if language is not Language.ko else matched(english, _KOREAN, _part) or english


def _part(name: str, english: str) -> str:
    if name == "problem":
        return problem(english, Language.ko)
    if name == "setting":
        return in_language(Language.ko)(english)
    if name in {"what", "hands"}:
        for pattern, korean in _PARTS:
            english = re.sub(pattern, korean, english)
    return english
