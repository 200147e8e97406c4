"""The partition-ratio detector: PLDA likelihood ratio of two hands against one, over all bipartitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats, Vectors
from handshift.detect.detector import BagScore, shares
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.partition.priors import block_evidence, scattered_evidence
from handshift.detect.plda import Plda

FEWEST_WORDS = 4
"""Smallest bag that can be divided into two informative groups."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A bag's score, and the probability of each word to be foreign."""

    score: float
    """ln p(bag | two hands) − ln p(bag | one hand), not yet calibrated."""
    foreign: Floats
    """(words,) probability of belonging to the smaller group, given two hands."""


def detect(vectors: Vectors, model: Plda) -> Detection:
    """Partition likelihood ratio of words in reading order.

    p(bag | two hands) is a sum over bipartitions, half the prior on one contiguous block and half on
    scattered words; p(bag | one hand) is half one session and half the same sum over two sessions.

    Args:
        vectors: (words, raw dimensions).
        model: PLDA of the word vectors.

    Raises:
        ValueError: there are fewer than four words.
    """
    if len(vectors) < FEWEST_WORDS:
        raise ValueError(f"{len(vectors)} words given, at least {FEWEST_WORDS} are needed")
    return _detect(vectors, model, tree=False)


@dataclass(frozen=True, slots=True)
class PartitionRatio:
    """The partition ratio as a detector; 0 for a single word.

    With `tree`, bags of more than 16 words are also searched from an agglomerative clustering. Scores of
    one-hand pages rise too, so a calibration made without it does not apply.
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
    bag = ProjectedBag(model.project(vectors), model)
    block = block_evidence(bag)
    scatter = scattered_evidence(bag, _smaller_group(block.foreign), tree)
    half = np.log(2)
    two_hands = np.logaddexp(block.two_writers, scatter.two_writers) - half
    two_sessions = np.logaddexp(block.two_sessions, scatter.two_sessions) - half
    one_hand = np.logaddexp(0.0, two_sessions) - half
    share = np.exp(block.two_writers - np.logaddexp(block.two_writers, scatter.two_writers))
    foreign = share * block.foreign + (1 - share) * scatter.foreign
    return Detection(float(two_hands - one_hand), foreign)


def _smaller_group(foreign: Floats) -> NDArray[np.bool_]:
    """The most probable smaller group: at least one word, at most half."""
    ranked = np.argsort(-foreign)
    count = int(np.clip((foreign > 0.5).sum(), 1, foreign.size // 2))
    members = np.zeros(foreign.size, bool)
    members[ranked[:count]] = True
    return members
