"""The hands of one page: how many, and whose each word is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hand_count_calibration import PRIOR, HandCountCalibration
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.session_merging import Reading, readings
from handshift.attribution.variational import MOST, explanations
from handshift.attribution.word_evidence import PageWords, words_of_page
from handshift.core.arrays import Floats, Vectors
from handshift.detect.plda import Plda

NEGLIGIBLE = 1e-4


@dataclass(frozen=True, slots=True)
class HandCountEvidence:
    """The best reading for every number of hands, and what speaks for it."""

    evidence: Floats
    """(5,) ln p(words | so many hands), up to a constant; −∞ where there are too few words."""
    best: tuple[Reading | None, ...]


@dataclass(frozen=True, slots=True)
class PageHands:
    """How many hands, and the probability that each word is by each; the hand of most words comes first."""

    number: Floats
    """(5,) posterior of 1 … 5 hands, at the stated prior."""
    share: Floats
    """(words, hands) for the most probable number of hands; the other numbers have their say in it, so that
    what is missing from 1 is the probability of a hand beyond these."""

    @property
    def hands(self) -> int:
        """The most probable number."""
        return int(self.share.shape[1])

    @property
    def ascribed(self) -> NDArray[np.intp]:
        """(words,) the likeliest hand of each."""
        return np.asarray(self.share.argmax(axis=1))

    @property
    def foreign(self) -> Floats:
        """(words,) probability that another hand than the first wrote the word."""
        return np.clip(1 - self.share[:, 0], 0.0, 1.0)


def all_hypotheses(words: PageWords, model: Plda, settings: HmmSettings) -> list[Reading]:
    """Every reading of a page's words."""
    return [
        reading
        for explanation in explanations(words, model, settings)
        for reading in readings(explanation, words, model)
    ]


def hand_count_evidence(found: Sequence[Reading], settings: HmmSettings) -> HandCountEvidence:
    """Readings by their number of hands: what speaks for it altogether, and the best of them."""
    groups = [[one for one in found if one.people == number] for number in range(1, MOST + 1)]
    evidence = [_total([one.rated(settings) for one in group]) for group in groups]
    best = tuple(max(group, key=lambda one: one.rated(settings), default=None) for group in groups)
    return HandCountEvidence(np.array(evidence), best)


@dataclass(frozen=True, slots=True)
class AnalysedPage:
    """A page read by itself, and all that reading it again takes."""

    words: PageWords
    found: HandCountEvidence
    number: Floats
    """(5,) posterior of 1 … 5 hands."""

    @property
    def page_hands(self) -> PageHands:
        """Its hands, by the most probable number."""
        return assign_words(self.found, self.number)


def analyse_page(
    vectors: Vectors, model: Plda, context: HandCountCalibration, prior: tuple[float, ...] = PRIOR
) -> AnalysedPage:
    """Weigh every number of hands that words in reading order may have; (words, raw dimensions)."""
    words = words_of_page(vectors, model, context.settings)
    found = hand_count_evidence(all_hypotheses(words, model, context.settings), context.settings)
    return AnalysedPage(words, found, context.posterior(found.evidence, prior))


def page_hands(
    vectors: Vectors, model: Plda, context: HandCountCalibration, prior: tuple[float, ...] = PRIOR
) -> PageHands:
    """Tell the hands of words in reading order; (words, raw dimensions)."""
    return analyse_page(vectors, model, context, prior).page_hands


def number_given(number: Floats, log10_lr: float) -> Floats:
    """The posterior of 1 … 5 hands when a calibrated ratio tells one from several, at even prior odds."""
    several = 1 / (1 + 10.0**-log10_lr)
    rest = number[1:].sum()
    if not rest:  # too few words to tell more than one
        return number
    return np.append(1 - several, several * number[1:] / rest)


def assign_words(found: HandCountEvidence, number: Floats) -> PageHands:
    """The words of the most probable number of hands, given what is known about the number."""
    chosen = found.best[int(number.argmax())]
    assert chosen is not None  # what is impossible is never the most probable
    main = np.argsort(-chosen.share.sum(axis=0), kind="stable")
    share = np.zeros_like(chosen.share)
    for chance, reading in zip(number, found.best, strict=True):
        if reading is not None and chance > NEGLIGIBLE:
            for own, other in _matched(chosen.share.T @ reading.share):
                share[:, own] += chance * reading.share[:, other]
    return PageHands(number, share[:, main])


def _matched(overlap: Floats) -> Iterator[tuple[int, int]]:
    """Name the hands of one reading by those of another: those first that share most words."""
    left = overlap.copy()
    for _ in range(min(left.shape)):
        own, other = divmod(int(left.argmax()), left.shape[1])
        yield own, other
        left[own], left[:, other] = -1.0, -1.0


def _total(logs: Sequence[float]) -> float:
    """ln Σ exp, −∞ of nothing."""
    if not logs:
        return -np.inf
    top = max(logs)
    return float(top + np.log(np.exp(np.array(logs) - top).sum()))
