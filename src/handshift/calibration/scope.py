"""`Scope`: whether a page lies inside what the model was validated on, and what follows where it does not."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from handshift.calibration.verbal_scale import Language


@dataclass(frozen=True, slots=True)
class ScopeReason:
    """One thing in which a page differs from those that the model was validated on."""

    code: str
    """A short name that programs can test for; a key of scope.json."""
    weight: float
    """Factor of the log10 LR: 1 for a remark, 0 where nothing can be said."""
    values: dict[str, float | str] = field(default_factory=dict)
    """Figures that the sentence mentions."""

    def text(self, language: Language = Language.en) -> str:
        """The reason as a sentence."""
        return scope_text(self.code, language).format(**self.values)


@dataclass(frozen=True, slots=True)
class Scope:
    """What the scope guard found; a page is inside where it found remarks at most.

    The stated ratio is log10 LR = w · raw log10 LR, w being the least weight of all reasons: 1 inside, 0
    where the ratio is withheld, between them where it is shrunk towards 1.
    """

    reasons: tuple[ScopeReason, ...] = ()
    forced: bool = False
    """Whether the raw ratio is stated all the same, because the user asked for it."""

    @property
    def inside(self) -> bool:
        """Whether the page is like those that the model was validated on."""
        return all(reason.weight == 1 for reason in self.reasons)

    @property
    def weight(self) -> float:
        """Factor of the log10 LR."""
        return 1.0 if self.forced else min((reason.weight for reason in self.reasons), default=1.0)

    @property
    def withheld(self) -> bool:
        """Whether no ratio is stated."""
        return self.weight == 0

    @property
    def hinge(self) -> frozenset[int]:
        """Numbers, from 1, of the words without which the ratio would be much lower."""
        listed = [str(reason.values.get("words", "")) for reason in self.reasons if reason.code == "hinge"]
        return frozenset(int(number) for words in listed for number in words.split(",") if number.strip())

    def shrunk_interval(self, interval: tuple[float, float]) -> tuple[float, float]:
        """The interval of the stated ratio: where that is shrunk towards 1, from the raw interval to 1.

        Args:
            interval: Of the raw log10 LR.
        """
        low, high = interval
        if self.weight == 1:
            return low, high
        return (min(low, 0.0), max(high, 0.0)) if self.weight else (0.0, 0.0)

    def headline(self, language: Language = Language.en) -> str | None:
        """What a reader must know before any figure; None where there is nothing to say."""
        if not self.reasons:
            return None
        if self.inside:
            return " ".join(reason.text(language) for reason in self.reasons)
        rule = "_forced" if self.forced else "_withheld" if self.withheld else "_shrunk"
        reasons = " ".join(reason.text(language) for reason in self.reasons if reason.weight < 1)
        stated = scope_text(rule, language).format(weight=self.weight)
        return f"{scope_text('_outside', language)} {reasons} {stated}"

    def without(self, *codes: str) -> Scope:
        """The scope where some reasons do not apply."""
        return Scope(tuple(reason for reason in self.reasons if reason.code not in codes), self.forced)

    def joined(self, *others: Scope) -> Scope:
        """The scope of several pages together."""
        reasons = {reason.code: reason for scope in (self, *others) for reason in scope.reasons}
        for scope in (self, *others):
            for reason in scope.reasons:
                if reason.weight < reasons[reason.code].weight:
                    reasons[reason.code] = reason
        return Scope(tuple(reasons.values()), any(scope.forced for scope in (self, *others)))

    def record(self) -> dict[str, Any]:
        """As plain data: ``{inside, weight, forced, reasons: [{code, weight, values, en, ko}]}``."""
        return {
            "inside": self.inside,
            "weight": self.weight,
            "forced": self.forced,
            "reasons": [
                {"code": reason.code, "weight": reason.weight, "values": dict(reason.values)}
                | {language.value: reason.text(language) for language in Language}
                for reason in self.reasons
            ],
        }

    @classmethod
    def from_record(cls, record: dict[str, Any] | None) -> Scope:
        """What `record` gave; nothing to say where there is none, as in findings of earlier versions."""
        if not record:
            return cls()
        reasons = tuple(
            ScopeReason(str(row["code"]), float(row["weight"]), dict(row.get("values", {})))
            for row in record["reasons"]
            if row["code"] in _texts()
        )
        return cls(reasons, bool(record.get("forced", False)))


INSIDE = Scope()
"""Nothing to say."""

DRAWN = Scope((ScopeReason("synthetic", 1.0),))
"""A page that a program drew: that is said, and its ratio is shown."""


def scope_text(key: str, language: Language) -> str:
    """A sentence, or a part of one, that is said of a scope."""
    return _texts()[key][language]


@cache
def _texts() -> dict[str, dict[str, str]]:
    content: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("scope.json").read_text("utf-8"))
    return content
