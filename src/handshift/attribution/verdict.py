"""The verdict on one page: likelihood ratio with bounds, interval and propositions, and each word's hand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.matching_words import MatchingWords
from handshift.calibration.page_calibration import Reference
from handshift.calibration.propositions import Propositions
from handshift.calibration.scope import INSIDE, Scope
from handshift.page.hand_labels import MAIN_HAND, NO_HAND, HandsOnPage
from handshift.page.word import Page

ROUNDING = 1e-9
SUSPECT = 0.5
"""Posterior of another hand from which on a word is marked for the reader."""


@dataclass(frozen=True, slots=True)
class WordFinding:
    """The hand of one word."""

    hand: str
    """"A" for the hand that wrote most, then "B" and so on; empty for marks that are not writing."""
    posterior: float
    """Probability that another hand than A wrote the word, at even prior odds."""
    certainty: float
    """Probability that the word is by the hand it is assigned to."""

    @property
    def suspect(self) -> bool:
        """Whether another hand than the main one is assigned, or as probable as not."""
        return self.hand not in (MAIN_HAND, NO_HAND) or self.posterior >= SUSPECT


@dataclass(frozen=True, slots=True)
class Verdict:
    """The evidence on one page: score, calibrated likelihood ratio, and the hand of every word."""

    page: Page = field(repr=False)
    score: float
    """Grows with the evidence for more than one hand; natural log of an uncalibrated ratio."""
    log10_lr: float
    """Calibrated, clipped to `bounds`, and outside of the scope multiplied by its weight: 0 if withheld."""
    bounds: tuple[float, float]
    """Largest log10 LR in either direction that the calibration data support."""
    interval: tuple[float, float]
    """95 % bootstrap interval of the log10 LR over calibration writers; within `bounds`."""
    number: tuple[float, ...]
    """Posterior of 1 … 5 hands at even prior odds of one against several: `log10_lr` decides between these,
    the hand-count evidence among 2 … 5."""
    words: tuple[WordFinding, ...] = field(repr=False)
    """One finding per word of the page, in reading order."""
    propositions: Propositions
    model: str
    similarity: NDArray[np.float32] = field(repr=False, compare=False)
    """(compared words, compared words) cosine similarities, float32."""
    compared: tuple[int, ...] = field(repr=False)
    """Indices of the words that were compared, from 0; the others are illegibly small."""
    alike: tuple[MatchingWords, ...] = field(repr=False)
    """Matching words by several hands, for visual comparison."""
    reference: Reference = field(repr=False, compare=False)
    """Scores of calibration pages of about this length."""
    warnings: tuple[str, ...] = ()
    scope: Scope = INSIDE
    """Whether the page is like those that the model was validated on."""
    raw_log10_lr: float | None = None
    """Calibrated and clipped, before the scope's weight; None in findings of earlier versions."""

    def __post_init__(self) -> None:
        low, high = self.bounds
        if not all(low - ROUNDING <= lr <= high + ROUNDING for lr in (self.log10_lr, *self.interval)):
            raise ValueError(
                f"log10 LR {self.log10_lr:+.2f} or its interval {_span(self.interval)} lies outside of its "
                f"bounds {_span(self.bounds)}"
            )

    @property
    def hands(self) -> int:
        """The most probable number."""
        return 1 + int(np.argmax(self.number))

    @property
    def handed(self) -> HandsOnPage:
        """The words and their hands, for PAGE-XML and TEI."""
        findings = self.words
        return HandsOnPage(self.page, [one.hand for one in findings], [one.certainty for one in findings])

    def __str__(self) -> str:
        towards = "more than one hand" if self.log10_lr > 0 else "one hand"
        outside = f"{self.scope.headline()}\n" if self.scope.reasons else ""
        return (
            f"{outside}"
            f"log10 LR {self.log10_lr:+.2f} ({_span(self.interval)} in 95 % of draws of the population, "
            f"bounds {_span(self.bounds)}), "
            f"towards {towards}; {len(self.words)} words, {self.hands} hand{'s' * (self.hands > 1)}\n"
            f"  several hands: {self.propositions.several_hands}\n"
            f"  one hand: {self.propositions.one_hand}\n"
            f"  population: {self.propositions.population}"
        )

    __repr__ = __str__


def _span(ends: tuple[float, float]) -> str:
    return f"{ends[0]:+.2f} to {ends[1]:+.2f}"
