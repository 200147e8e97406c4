"""How much a likelihood ratio supports which side, in words."""

from __future__ import annotations

from enum import StrEnum

STEPS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0)
"""log10 LR from which each degree begins: the verbal scale of the ENFSI guideline of 2015."""

DEGREES = {
    "en": ("weak", "moderate", "moderately strong", "strong", "very strong", "extremely strong"),
    "ko": ("약하게", "어느 정도", "제법 강하게", "강하게", "매우 강하게", "극히 강하게"),
}
SIDES = {"en": ("one hand", "more than one hand"), "ko": ("한 사람의 필적", "두 사람 이상의 필적")}
NEITHER = {"en": "no support for either side", "ko": "어느 쪽도 뒷받침하지 않음"}
NEGLIGIBLE = 0.301  # log10 2: below a factor of two the guideline speaks of no support


class Language(StrEnum):
    """Languages in which results are explained."""

    en = "en"
    ko = "ko"


def support(log10_lr: float, language: Language = Language.en) -> str:
    """Say the degree and the direction, as in "moderate support for one hand"."""
    size = abs(log10_lr)
    if size < NEGLIGIBLE:
        return NEITHER[language]
    degree = DEGREES[language][sum(size >= step for step in STEPS) - 1]
    side = SIDES[language][log10_lr > 0]
    return f"{side}을 {degree} 뒷받침함" if language is Language.ko else f"{degree} support for {side}"


def times(log10_lr: float) -> str:
    """Write the ratio itself, always as a number above one, with the two digits it deserves."""
    ratio = float(f"{10 ** min(abs(log10_lr), 15.0):.2g}")
    return f"{ratio:,.1f}" if ratio < 10 else f"{ratio:,.0f}"
