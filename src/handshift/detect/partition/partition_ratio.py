"""The document score: two hands against one, over every way another hand may have come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats, Vectors
from handshift.detect.detector import BagScore, shares
from handshift.detect.partition.bipartition import Bag
from handshift.detect.partition.priors import block_evidence, scattered_evidence
from handshift.detect.plda import Plda

FEWEST_WORDS = 4
"""Fewer words cannot be divided into two groups that say anything."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A bag's score, and which words would be the other hand's if there is one."""

    score: float
    """ln p(bag | two hands) − ln p(bag | one hand), not yet calibrated."""
    foreign: Floats
    """(words,) probability of standing on the smaller side, given that there are two hands."""


def detect(vectors: Vectors, model: Plda) -> Detection:
    """Score words in reading order; (words, raw dimensions).

    Where the division runs is unknown to both sides: p(bag | two hands) is a sum over divisions, half the
    prior on one contiguous block and half on scattered words, and p(bag | one hand) is half one session and
    half the same sum over divisions into two sessions.
    """
    if len(vectors) < FEWEST_WORDS:
        raise ValueError(f"{len(vectors)} words given, at least {FEWEST_WORDS} are needed")
    return _detect(vectors, model, tree=False)


@dataclass(frozen=True, slots=True)
class PartitionRatio:
    """The document score as one detector among others, defined for a single word too: ln 1, no division.

    With `tree`, bags of more than 16 words are searched more thoroughly for scattered words. More is found
    on pages by one hand as well, so a calibration made without it does not hold.
    """

    model: Plda
    tree: bool = False
    order_aware: ClassVar[bool] = True

    def score(self, words: Vectors) -> BagScore:
        """Score (words, raw dimensions)."""
        if len(words) < 2:
            return BagScore(0.0, np.ones(len(words)))
        detection = _detect(words, self.model, self.tree)
        return BagScore(detection.score, shares(np.maximum(detection.foreign, 0.0)))


def _detect(vectors: Vectors, model: Plda, tree: bool) -> Detection:
    bag = Bag(model.project(vectors), model)
    block = block_evidence(bag)
    scatter = scattered_evidence(bag, _smaller_side(block.foreign), tree)
    half = np.log(2)
    two_hands = np.logaddexp(block.two_writers, scatter.two_writers) - half
    two_sessions = np.logaddexp(block.two_sessions, scatter.two_sessions) - half
    one_hand = np.logaddexp(0.0, two_sessions) - half
    share = np.exp(block.two_writers - np.logaddexp(block.two_writers, scatter.two_writers))
    foreign = share * block.foreign + (1 - share) * scatter.foreign
    return Detection(float(two_hands - one_hand), foreign)


def _smaller_side(foreign: Floats) -> NDArray[np.bool_]:
    """The most likely smaller side, never empty and never more than half."""
    ranked = np.argsort(-foreign)
    count = int(np.clip((foreign > 0.5).sum(), 1, foreign.size // 2))
    side = np.zeros(foreign.size, bool)
    side[ranked[:count]] = True
    return side
