"""The two explanations that a likelihood ratio weighs, and among whom, in every language of the reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from handshift.calibration.verbal_scale import Language

_SEVERAL = {
    Language.en: "Another person wrote {least:.0f} to {most:.0f} % of the page's words, {fewest} at least.",
    Language.ko: "쪽의 단어 가운데 {least:.0f}~{most:.0f} %(적어도 {fewest}개)를 다른 사람이 썼다.",
}
_ONE = {
    1: {
        Language.en: "One person wrote all words of the page, on one day.",
        Language.ko: "한 사람이 쪽의 모든 단어를 하루에 썼다.",
    },
    2: {
        Language.en: "One person wrote all words of the page: on one day or, as probably, on two.",
        Language.ko: "한 사람이 쪽의 모든 단어를 하루에 썼거나, 같은 확률로 이틀에 나누어 썼다.",
    },
}


@dataclass(frozen=True, slots=True)
class Claim:
    """What the calibration pages were, without words: how much another person wrote, and on how many days."""

    least: float
    most: float
    """Share of the words by another person."""
    fewest: int
    """Words by another person, whatever the share."""
    days: int
    """On which one person may have written a page, 1 or 2."""

    def holds(self, share: float, words: int) -> bool:
        """Whether a page of so many words, this share of them by another person, is what is meant."""
        return self.least <= share <= self.most and round(share * words) >= self.fewest

    def propositions(self, population: str, populations: dict[str, str] | None = None) -> Propositions:
        """Written out in English, among these people; `populations` names them in other languages."""
        return Propositions(*_sentences(self, Language.en), population, self, populations or {})


@dataclass(frozen=True, slots=True)
class Propositions:
    """The two explanations that a likelihood ratio compares, and among whom."""

    several_hands: str
    one_hand: str
    population: str
    claim: Claim | None = None
    """The same without words; None where somebody wrote propositions of their own."""
    populations: dict[str, str] = field(default_factory=dict)
    """The population in other languages than English, by the language's letters."""

    def in_language(self, language: Language) -> Propositions:
        """In this language, as far as it is known there."""
        if self.claim is None or language is Language.en:
            return self
        population = self.populations.get(language, self.population)
        return Propositions(*_sentences(self.claim, language), population, self.claim, self.populations)

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Propositions:
        """Read what `record` gave; a calibration older than claims has only sentences."""
        claim = record.get("claim")
        return cls(**record | {"claim": Claim(**claim) if claim else None})


def _sentences(claim: Claim, language: Language) -> tuple[str, str]:
    several = _SEVERAL[language].format(least=100 * claim.least, most=100 * claim.most, fewest=claim.fewest)
    return several, _ONE[claim.days][language]
