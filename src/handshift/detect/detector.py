"""The document score: two hands against one, over every way another hand may have come in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.detect.covariance import CovarianceModel, Vectors
from handshift.detect.divisions import blocks, scattered
from handshift.detect.partition import Bag, Floats

FEWEST_WORDS = 4
"""Fewer words cannot be divided into two groups that say anything."""


@dataclass(frozen=True, slots=True)
class Detection:
    """A bag's score, and which words would be the other hand's if there is one."""

    score: float
    """ln p(bag | two hands) − ln p(bag | one hand), not yet calibrated."""
    foreign: Floats
    """(words,) probability of standing on the smaller side, given that there are two hands."""


def detect(vectors: Vectors, model: CovarianceModel) -> Detection:
    """Score words in reading order; (words, raw dimensions).

    Half the prior goes to one contiguous block and half to scattered words.
    """
    if len(vectors) < FEWEST_WORDS:
        raise ValueError(f"{len(vectors)} words given, at least {FEWEST_WORDS} are needed")
    bag = Bag(model.project(vectors), model)
    block = blocks(bag)
    scatter = scattered(bag, _smaller_side(block.foreign))
    score = float(np.logaddexp(block.evidence, scatter.evidence) - np.log(2))
    share = 1 / (1 + np.exp(np.clip(scatter.evidence - block.evidence, -50, 50)))
    return Detection(score, share * block.foreign + (1 - share) * scatter.foreign)


def _smaller_side(foreign: Floats) -> NDArray[np.bool_]:
    """The most likely smaller side, never empty and never more than half."""
    ranked = np.argsort(-foreign)
    count = int(np.clip((foreign > 0.5).sum(), 1, foreign.size // 2))
    side = np.zeros(foreign.size, bool)
    side[ranked[:count]] = True
    return side
