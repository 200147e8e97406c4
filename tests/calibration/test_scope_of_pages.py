"""A document's headline names the pages that lie outside of what was validated."""

from handshift.calibration.scope import DRAWN, INSIDE, Scope, ScopeReason
from handshift.calibration.scope_of_pages import scope_lines
from handshift.calibration.verbal_scale import Language


def few(words: int) -> Scope:
    return Scope((ScopeReason("few-words", words / 14, {"words": words, "least": 14}),))


def test_pages_outside_for_one_reason_are_named_together_with_the_worst_figure():
    (line,) = scope_lines([INSIDE, few(13), few(7), INSIDE, few(12)])
    assert line.startswith("p. 2–3, 5: Outside of what was validated. Only 7 words")
    assert "stated at 50% of its value" in line


def test_pages_with_other_reasons_get_a_line_of_their_own():
    script = Scope((ScopeReason("script", 0.0),))
    first, second = scope_lines([few(13), script, INSIDE])
    assert first.startswith("p. 1: ") and second.startswith("p. 2: ")
    assert "No likelihood ratio" in second and "No likelihood ratio" not in first


def test_what_holds_of_every_page_is_said_once_without_numbers():
    assert scope_lines([DRAWN, DRAWN]) == [DRAWN.headline()]
    assert scope_lines([INSIDE, INSIDE]) == []


def test_pages_are_named_in_korean():
    (line,) = scope_lines([INSIDE, few(7)], Language.ko)
    assert line.startswith("2쪽: 검증된 범위를 벗어났습니다.")
