"""Problems of files in the language of the reader: errors keep them in English."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from handshift.calibration.verbal_scale import Language


def problem(english: str, language: Language) -> str:
    """What is wrong with a file, in the language of the reader.

    Args:
        english: As `PageError` says it, or an error that names its file before a colon.
        language: Of the output. What has no translation is said in general, with the English in brackets.
    """
    if language is not Language.ko:
        return english
    where, colon, rest = english.partition(": ")
    korean = matched(english, _problems())
    if korean is None and colon and (own := matched(rest, _problems())):
        korean = f"{where}: {own}"
    return korean or f"처리할 수 없습니다({english})"


def matched(
    english: str,
    table: Sequence[tuple[str, str]],
    part: Callable[[str, str], str] = lambda _, text: text,
) -> str | None:
    """The sentence of a table whose pattern this is, with what the pattern names; None if there is none.

    Args:
        english: The whole sentence.
        table: Patterns with named groups, and the sentences they are put into.
        part: Translates a named group.
    """
    for pattern, sentence in table:
        found = re.fullmatch(pattern, english, re.DOTALL)
        if found:
            return sentence.format(
                **{name: part(name, text or "") for name, text in found.groupdict().items()}
            )
    return None


@cache
def _problems() -> list[tuple[str, str]]:
    """Patterns of what users meet, and the same in Korean."""
    path = Path(__file__).with_name("texts") / "problems.ko.json"
    return [(pattern, korean) for pattern, korean in json.loads(path.read_text("utf-8"))]
