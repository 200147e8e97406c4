"""Warnings in the language of the reader: findings keep them in English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from handshift.calibration.verbal_scale import Language

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
)
"""English sentences as they are made, and the same in Korean."""
_PROBLEMS = (
    (r"no such file or folder; check the spelling", "그런 파일이나 폴더가 없습니다. 이름을 확인하십시오"),
    (r"no such file; check the spelling", "그런 파일이 없습니다. 이름을 확인하십시오"),
    (
        r"no scans in this folder \(looked for (?P<kinds>.+)\)",
        "이 폴더에는 스캔 이미지가 없습니다(찾은 형식: {kinds})",
    ),
    (
        r"no scan fits this pattern; check it, or quote it",
        "이 형식에 맞는 스캔 이미지가 없습니다. 형식을 확인하거나 따옴표로 묶으십시오",
    ),
    (r"cannot be opened \((?P<why>.+)\); check the spelling", "열 수 없습니다({why}). 이름을 확인하십시오"),
    (r"not an ordinary file(?:; give the scan itself)?", "일반 파일이 아닙니다. 스캔 파일을 지정하십시오"),
    (r"a folder where a file was wanted", "파일이 필요한 자리에 폴더가 지정되었습니다"),
    (r"the file is empty; copy or scan it again", "파일이 비어 있습니다. 다시 복사하거나 스캔하십시오"),
    (
        r"not an image of a kind handshift reads; give it (?P<kinds>.+)",
        "handshift가 읽을 수 있는 이미지가 아닙니다. {kinds} 형식으로 지정하십시오",
    ),
    (
        r"cannot be read \((?P<why>.+)\); check its permissions and the disk",
        "읽을 수 없습니다({why}). 권한과 디스크를 확인하십시오",
    ),
    (
        r"(?P<where>.*)is over the limit of (?P<limit>.+); scan it at a lower resolution",
        "{where}크기가 한도 {limit}을 넘습니다. 더 낮은 해상도로 스캔하십시오",
    ),
    (
        r"(?P<where>.*)is too small to hold writing: a side is under (?P<side>\d+) pixels; "
        r"leave it out, or scan it larger",
        "{where}글씨가 있기에는 너무 작습니다. 한 변이 {side}픽셀보다 짧습니다. 빼거나 더 크게 스캔하십시오",
    ),
    (
        r"cannot be decoded \((?P<why>.+)\); copy or export it again",
        "이미지를 풀 수 없습니다({why}). 다시 복사하거나 내보내십시오",
    ),
    (
        r"the PDF is encrypted; save a copy without a password",
        "암호가 걸린 PDF입니다. 암호 없는 사본을 저장하십시오",
    ),
    (
        r"the PDF is damaged or has no pages \((?P<why>.+)\); export it again",
        "PDF가 손상되었거나 쪽이 없습니다({why}). 다시 내보내십시오",
    ),
    (r"a PDF without pages; export it again", "쪽이 없는 PDF입니다. 다시 내보내십시오"),
    (
        r"found no (?:legible )?words?(?: on page (?P<page>\d+))?; the page seems to be blank",
        "단어를 찾지 못했습니다. 빈 쪽으로 보입니다",
    ),
    (
        r"found no legible word(?: on page \d+)?; there is no handwriting to examine, only (?P<others>.+)",
        "읽을 수 있는 단어를 찾지 못했습니다. 검사할 손글씨가 없고 다른 표시만 있습니다({others})",
    ),
    (r"found no legible word(?: on page \d+)?", "읽을 수 있는 단어를 찾지 못했습니다"),
    (
        r"found (?P<words>\d+) legible words?, needs at least (?P<fewest>\d+)",
        "읽을 수 있는 단어가 {words}개입니다. 적어도 {fewest}개가 필요합니다",
    ),
    (
        r"found (?P<words>\d+) legible words, (?P<copies>\d+) of them copies of another; "
        r"needs at least (?P<fewest>\d+) that differ",
        "읽을 수 있는 단어 {words}개 가운데 {copies}개가 다른 단어의 사본입니다. "
        "서로 다른 단어가 적어도 {fewest}개 필요합니다",
    ),
    (
        r"found (?P<words>[\d,]+) legible words; at most (?P<most>[\d,]+) are compared at once, "
        r"so examine the page in parts",
        "읽을 수 있는 단어가 {words}개입니다. 한 번에 {most}개까지 비교하므로 쪽을 나누어 검사하십시오",
    ),
    (
        r"changed while it was being read; examine it again",
        "읽는 동안 파일이 바뀌었습니다. 다시 검사하십시오",
    ),
)
"""Problems of files that users meet, and the same in Korean."""
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
    return english if language is not Language.ko else _translated(english, _KOREAN) or english


def problem(english: str, language: Language) -> str:
    """What is wrong with a file, in the language of the reader.

    Args:
        english: As `PageError` says it.
        language: Of the output. What has no translation is said in general, with the English in brackets.
    """
    if language is not Language.ko:
        return english
    return _translated(english, _PROBLEMS) or f"처리할 수 없습니다({english})"


def _translated(english: str, table: Sequence[tuple[str, str]]) -> str | None:
    for pattern, korean in table:
        found = re.fullmatch(pattern, english, re.DOTALL)
        if found:
            parts = {name: _parts(name, text or "") for name, text in found.groupdict().items()}
            return korean.format(**parts)
    return None


def _parts(name: str, english: str) -> str:
    if name == "problem":
        return problem(english, Language.ko)
    if name in {"what", "hands"}:
        for pattern, korean in _PARTS:
            english = re.sub(pattern, korean, english)
    return english
