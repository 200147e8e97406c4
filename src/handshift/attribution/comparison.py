"""The result of comparing two sets of words: likelihood ratio with bounds and propositions."""

from __future__ import annotations

from dataclasses import dataclass

from handshift.calibration.pair_calibration import PairPropositions
from handshift.calibration.scope import INSIDE, Scope


@dataclass(frozen=True, slots=True)
class HandComparison:
    """One hand of the first side against one of the second."""

    hands: tuple[str, str]
    words: tuple[int, int]
    log10_lr: float


@dataclass(frozen=True, slots=True)
class KnownSamples:
    """Pages known to be by one person, as context of a comparison with them."""

    name: str
    pages: int
    own: tuple[float, ...]
    """log10 LR of each page against the person's other pages; none of a single page."""
    strangers: float
    """Typicality: share of comparisons with other writers of the population that reach this ratio."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The evidence on whether one writer wrote both sets of words."""

    score: float
    """Grows with the evidence for one writer; natural log of an uncalibrated ratio."""
    log10_lr: float
    """Calibrated for this number of words, and clipped to `bounds`."""
    bounds: tuple[float, float]
    """Largest log10 LR in either direction that the calibration data support."""
    words: tuple[int, int]
    """Number of words on either side."""
    propositions: PairPropositions
    model: str
    warnings: tuple[str, ...] = ()
    interval: tuple[float, float] | None = None
    """95 % bootstrap interval of the log10 LR over the words of both sides; None where it was not drawn."""
    by_hand: tuple[HandComparison, ...] = ()
    """Hand against hand, where more than one hand was found on a side."""
    known: KnownSamples | None = None
    """Where the second side holds known samples of one person."""
    scope: Scope = INSIDE
    """Whether both sides are like the pages that the model was validated on."""
    raw_log10_lr: float | None = None
    """Before the scope's weight."""
    letter_mm: tuple[float, float] | None = None
    """Height of small letters on either side, where the resolution of both is known."""
    size_log10_lr: float = 0.0
    """What the difference of these heights adds to the ratio, before it is clipped."""
    strangers: tuple[tuple[float, float], ...] = ()
    """Typicality: log10 LR, unclipped, and the share of comparisons of two writers of the population, of so
    many words, that reach it; the one found first, then 0, 1 and 2."""

    def __str__(self) -> str:
        towards = "one writer" if self.log10_lr > 0 else "two writers"
        drawn = (
            f"{self.interval[0]:+.2f} to {self.interval[1]:+.2f} in 95 % of draws of the words, "
            if self.interval
            else ""
        )
        return "\n".join(
            (
                *([headline] if (headline := self.scope.headline()) else []),
                f"log10 LR {self.log10_lr:+.2f} "
                f"({drawn}bounds {self.bounds[0]:+.1f} to {self.bounds[1]:+.1f}), "
                f"towards {towards}; {self.words[0]} and {self.words[1]} words",
                *(
                    [
                        f"  small letters {self.letter_mm[0]:.1f} and {self.letter_mm[1]:.1f} mm high, which "
                        f"adds {self.size_log10_lr:+.2f}"
                    ]
                    if self.letter_mm
                    else []
                ),
                f"  one writer: {self.propositions.one_writer}",
                f"  two writers: {self.propositions.two_writers}",
                f"  population: {self.propositions.population}",
                *(f"  warning: {warning}" for warning in self.warnings),
                *(
                    f"  hand {one.hands[0]} and hand {one.hands[1]}: log10 LR {one.log10_lr:+.2f}, "
                    f"{one.words[0]} and {one.words[1]} words"
                    for one in self.by_hand
                ),
                *(
                    [
                        f"  known samples: {self.known.pages} pages of {self.known.name}; a ratio as high is "
                        f"reached by {self.known.strangers:.2g} of other writers"
                    ]
                    if self.known
                    else []
                ),
            )
        )

    __repr__ = __str__
