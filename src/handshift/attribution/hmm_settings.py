"""Fixed parameters of the hidden Markov model (HMM) over words, chosen on calibration writers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

_STORED = {"return_prior": "again", "scattered_prior": "strewn"}
"""Field names that differ from those in hands.json."""


@dataclass(frozen=True, slots=True)
class HmmSettings:
    """Of the word sequence and of the priors on its segmentations."""

    weight: float = 0.5
    """How much of an independent word each word counts for: words of one page are correlated."""
    length: float = 0.0
    """Length of a typical word's row; shorter rows count for less. 0 weights all words equally."""
    loop: float = 0.96
    """Probability that the hand stays the same from word to word, where hands write blocks."""
    scattered: float = 0.25
    """Expected share of words by other hands, where those are scattered."""
    return_prior: float = 1e-3
    """Prior odds that a further session is by a writer already present, against a new writer."""
    scattered_prior: float = 1e-2
    """Prior odds of scattered words against blocks."""

    def record(self) -> dict[str, Any]:
        """As hands.json holds them."""
        return {_STORED.get(name, name): value for name, value in asdict(self).items()}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> HmmSettings:
        """Read what `record` gave."""
        names = {stored: name for name, stored in _STORED.items()}
        return cls(**{names.get(stored, stored): value for stored, value in record.items()})
