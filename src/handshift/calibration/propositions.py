"""The two propositions of a likelihood ratio and their population, in every language of the reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from handshift.calibration.verbal_scale import Language

_SEVERAL = {
    Language.en: "Another person wrote {least:.0f} to {most:.0f} % of the page's words, {fewest} at least "
    "(half of a page of fewer than {short}).",
    Language.ko: "쪽의 단어 가운데 {least:.0f}~{most:.0f} %(적어도 {fewest}개, "
    "{short}개가 안 되는 쪽에서는 절반)를 다른 사람이 썼다.",
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
    """The calibration pages as numbers: share of words by another writer, and number of sessions."""

    least: float
    most: float
    """Share of the words by another person."""
    fewest: int
    """Words by another person, whatever the share."""
    days: int
    """Sessions in which one writer may have written a page, 1 or 2."""

    def holds(self, share: float, words: int) -> bool:
        """Whether the first proposition covers a page of `words` words with this share by another writer."""
        # Half of a page of fewer than six words is less than three of them.
        return self.least <= share <= self.most and round(share * words) >= min(self.fewest, words // 2)

    def propositions(self, population: str, populations: dict[str, str] | None = None) -> Propositions:
        """As English sentences about this population; `populations` names it in other languages."""
        return Propositions(*_sentences(self, Language.en), population, self, populations or {})


@dataclass(frozen=True, slots=True)
class Propositions:
    """The two propositions that a likelihood ratio compares, and their population."""

    several_hands: str
    one_hand: str
    population: str
    claim: Claim | None = None
    """The propositions as numbers; None where they were written by hand."""
    populations: dict[str, str] = field(default_factory=dict)
    """The population in other languages than English, by language code."""

    def in_language(self, language: Language) -> Propositions:
        """Translated into this language, where the translation is known."""
        if self.claim is None or language is Language.en:
            return self
        population = self.populations.get(language, self.population)
        return Propositions(*_sentences(self.claim, language), population, self.claim, self.populations)

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Propositions:
        """Read what `record` gave; older calibrations have sentences only."""
        claim = record.get("claim")
        return cls(**record | {"claim": Claim(**claim) if claim else None})


def _sentences(claim: Claim, language: Language) -> tuple[str, str]:
    several = _SEVERAL[language].format(
        least=100 * claim.least, most=100 * claim.most, fewest=claim.fewest, short=2 * claim.fewest
    )
    return several, _ONE[claim.days][language]
