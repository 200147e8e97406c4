"""The hands of one page: their number, and the hand of each word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hand_count_calibration import PRIOR, HandCountCalibration
from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.hypothesis_table import HypothesisTable
from handshift.attribution.session_merging import WriterHypothesis, merge_sessions
from handshift.attribution.variational import MOST, segment_by_vbx
from handshift.attribution.word_evidence import PageWords, words_of_page
from handshift.core.arrays import Floats, Vectors
from handshift.detect.plda import Plda

NEGLIGIBLE = 1e-4
"""Posterior below which a number of hands is left out of the words' probabilities."""


@dataclass(frozen=True, slots=True)
class HandCountEvidence:
    """The best hypothesis for every number of hands, and the evidence for that number."""

    evidence: Floats
    """(5,) ln p(words | so many hands), up to a constant; −∞ where there are too few words."""
    best: tuple[WriterHypothesis | None, ...]
    """Hypothesis of highest score for 1 … 5 hands; None where there are too few words."""


@dataclass(frozen=True, slots=True)
class PageHands:
    """Number of hands, and the probability of each hand for each word; hand 0 wrote most."""

    number: Floats
    """(5,) posterior of 1 … 5 hands, at the stated prior."""
    share: Floats
    """(words, hands) for the most probable number of hands, averaged over all numbers by their posteriors; a
    row sums to 1 minus the probability of a further hand."""

    @property
    def hands(self) -> int:
        """The most probable number."""
        return int(self.share.shape[1])

    @property
    def ascribed(self) -> NDArray[np.intp]:
        """(words,) the most probable hand of each."""
        return np.asarray(self.share.argmax(axis=1))

    @property
    def foreign(self) -> Floats:
        """(words,) probability that another hand than the first wrote the word."""
        return np.clip(1 - self.share[:, 0], 0.0, 1.0)


def all_hypotheses(words: PageWords, model: Plda, settings: HmmSettings) -> list[WriterHypothesis]:
    """All writer hypotheses of a page: VBx segmentations, their sessions merged in every way."""
    return [
        hypothesis
        for segmentation in segment_by_vbx(words, model, settings)
        for hypothesis in merge_sessions(segmentation, words, model)
    ]


def hand_count_evidence(hypotheses: Sequence[WriterHypothesis], settings: HmmSettings) -> HandCountEvidence:
    """Sum the evidence of hypotheses with equally many writers, and keep the best of each number."""
    table = HypothesisTable.of(hypotheses)
    scores = table.log_scores(settings)
    best: list[WriterHypothesis | None] = []
    for number in range(1, MOST + 1):
        places = np.flatnonzero(table.writers == number)
        best.append(hypotheses[places[scores[places].argmax()]] if places.size else None)
    return HandCountEvidence(table.count_evidence(scores), tuple(best))


@dataclass(frozen=True, slots=True)
class AnalysedPage:
    """A page analysed by itself, with what a second analysis needs."""

    words: PageWords
    found: HandCountEvidence
    number: Floats
    """(5,) posterior of 1 … 5 hands."""

    @property
    def page_hands(self) -> PageHands:
        """Words assigned under the most probable number of hands."""
        return assign_words(self.found, self.number)


def analyse_page(
    vectors: Vectors, model: Plda, calibration: HandCountCalibration, prior: tuple[float, ...] = PRIOR
) -> AnalysedPage:
    """Posterior of every number of hands.

    Args:
        vectors: (words, raw dimensions) in reading order.
        model: PLDA of the word vectors.
        calibration: turns evidence into posteriors.
        prior: of 1 … 5 hands.
    """
    words = words_of_page(vectors, model, calibration.settings)
    found = hand_count_evidence(all_hypotheses(words, model, calibration.settings), calibration.settings)
    return AnalysedPage(words, found, calibration.posterior(found.evidence, prior))


def page_hands(
    vectors: Vectors, model: Plda, calibration: HandCountCalibration, prior: tuple[float, ...] = PRIOR
) -> PageHands:
    """Number of hands and the hand of each word.

    Args:
        vectors: (words, raw dimensions) in reading order.
        model: PLDA of the word vectors.
        calibration: turns evidence into posteriors.
        prior: of 1 … 5 hands.
    """
    return analyse_page(vectors, model, calibration, prior).page_hands


def number_given(number: Floats, log10_lr: float) -> Floats:
    """Replace the posterior of one hand against several by that of a calibrated ratio at even prior odds.

    Args:
        number: (5,) posterior of 1 … 5 hands.
        log10_lr: of several hands against one.

    Returns:
        (5,) posterior; the proportions among 2 … 5 hands are unchanged.
    """
    several = 1 / (1 + 10.0**-log10_lr)
    rest = number[1:].sum()
    if not rest:  # too few words for more than one hand
        return number
    return np.append(1 - several, several * number[1:] / rest)


def assign_words(found: HandCountEvidence, number: Floats, lengths: Floats | None = None) -> PageHands:
    """Assign words under the most probable number of hands, averaging over the other numbers.

    Args:
        found: The best hypothesis for every number of hands.
        number: (5,) posterior of 1 … 5 hands.
        lengths: (words,) how long each is: the hand that wrote most comes first. On wills, where stamps and
            paraphs are many small marks, AUC of the words' posterior is .886 so, .848 by the number of words.
    """
    chosen = found.best[int(number.argmax())]
    assert chosen is not None  # what is impossible is never the most probable
    long = np.ones(len(chosen.share)) if lengths is None else lengths
    main = np.argsort(-(long @ chosen.share), kind="stable")
    share = np.zeros_like(chosen.share)
    for chance, hypothesis in zip(number, found.best, strict=True):
        if hypothesis is not None and chance > NEGLIGIBLE:
            for own, other in _matched((long[:, None] * chosen.share).T @ hypothesis.share):
                share[:, own] += chance * hypothesis.share[:, other]
    return PageHands(number, share[:, main])


def _matched(overlap: Floats) -> Iterator[tuple[int, int]]:
    """Match the hands of two hypotheses greedily, those that share most words first."""
    left = overlap.copy()
    for _ in range(min(left.shape)):
        own, other = divmod(int(left.argmax()), left.shape[1])
        yield own, other
        left[own], left[:, other] = -1.0, -1.0
