"""What the search for hands takes for granted; chosen on calibration writers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HmmSettings:
    """Of the chain of words."""

    weight: float = 0.5
    """How much of an independent word each word counts for: words of one page resemble each other anyway."""
    length: float = 0.0
    """Of a typical word's row: those of shorter rows say less. 0 lets all words count alike."""
    loop: float = 0.96
    """Chance that the hand goes on from word to word, where hands write blocks."""
    scattered: float = 0.25
    """Share of words that other hands are expected to have written, where they wrote here and there."""
    again: float = 1e-3
    """Prior of a further sitting's being by a person who has sat down already, against a new person's."""
    strewn: float = 1e-2
    """Prior of words here and there against blocks."""
