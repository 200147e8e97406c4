"""Verbal scale: the degree of support that a likelihood ratio expresses, in words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object

SHIPPED = Path(__file__).with_name("scale.json")
"""The verbal scale that is used unless another is given."""
SIDES = {"en": ("one hand", "more than one hand"), "ko": ("한 사람의 필적", "두 사람 이상의 필적")}
ROUNDING = 1e-9  # log10 of 1000 and of ten to the third must be one degree


class Language(StrEnum):
    """Languages in which results are explained."""

    en = "en"
    ko = "ko"


@dataclass(frozen=True, slots=True)
class Scale:
    """Degrees of support, and the likelihood ratio from which each begins."""

    name: str
    source: str
    neither: dict[str, str]
    degrees: tuple[tuple[float, dict[str, str]], ...]
    """(LR, words by language), rising; below the first there is no support for either side."""

    @classmethod
    def load(cls, path: Path | None = None) -> Scale:
        """Read a scale in the format of the shipped one.

        Raises:
            HandshiftError: the file is no scale, or its degrees are not ascending.
        """
        path = path or SHIPPED
        try:
            content = read_json_object(path, "a verbal scale")
            degrees = tuple((float(degree["from"]), _words(degree)) for degree in content["degrees"])
            scale = cls(content["name"], content["source"], _words(content["neither"]), degrees)
        except (ValueError, TypeError, KeyError) as error:
            raise HandshiftError(
                f"{path}: not a verbal scale ({error!r}); copy {SHIPPED} and change it"
            ) from error
        steps = [step for step, _ in degrees]
        if not steps or steps != sorted(set(steps)) or steps[0] < 1:
            raise HandshiftError(f"{path}: degrees must begin at rising ratios of 1 or more, got {steps}")
        return scale

    def support(self, log10_lr: float, language: Language = Language.en) -> str:
        """Degree and direction in words, as in "moderate support for one hand"."""
        from math import log10

        size = abs(log10_lr) + ROUNDING
        reached = [words for step, words in self.degrees if size >= log10(step)]
        if not reached:
            return self.neither[language]
        degree, side = reached[-1][language], SIDES[language][log10_lr > 0]
        return f"{side}을 {degree} 뒷받침함" if language is Language.ko else f"{degree} support for {side}"

    def is_neutral(self, log10_lr: float) -> bool:
        """Whether a ratio supports neither side."""
        return 10 ** (abs(log10_lr) + ROUNDING) < self.degrees[0][0]


@cache
def shipped_scale() -> Scale:
    """The scale that comes with handshift."""
    return Scale.load()


def support(log10_lr: float, language: Language = Language.en) -> str:
    """Degree and direction by the shipped scale."""
    return shipped_scale().support(log10_lr, language)


def times(log10_lr: float) -> str:
    """The ratio as a number above one, rounded to two digits."""
    ratio = float(f"{10 ** min(abs(log10_lr), 15.0):.2g}")
    return f"{ratio:,.1f}" if ratio < 10 else f"{ratio:,.0f}"


def _words(content: dict[str, str]) -> dict[str, str]:
    return {language.value: content[language.value] for language in Language}
