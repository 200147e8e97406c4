"""Scores whole bag sets; networks are run on batches of bags of similar size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.bag.bagset import BagSet
from handshift.core.arrays import Floats, Vectors
from handshift.detect.combination import Combination
from handshift.detect.detector import Detector
from handshift.detect.onnx_detector import NetworkDetector

_ROOM = 60_000
"""Bags × words² of a batch, which bounds memory: a few pages, or hundreds of short bags."""


@dataclass(frozen=True, slots=True)
class BagScores:
    """A detector's scores of every bag of a set."""

    score: Floats
    """(bags,)"""
    contribution: Floats
    """(total,) words of the first bag, then of the second, …; as `BagScore` has them."""


def score_bags(detector: Detector, vectors: Vectors, bags: BagSet) -> BagScores:
    """Score every bag of a set; equal to scoring bag by bag."""
    if isinstance(detector, Combination):
        return combine(detector, [score_bags(part, vectors, bags) for part in detector.parts.values()], bags)
    if isinstance(detector, NetworkDetector):
        return _by_network(detector, vectors, bags)
    each = [detector.score(vectors[bag.rows]) for bag in bags]
    return BagScores(
        np.array([scored.score for scored in each]), np.concatenate([scored.contribution for scored in each])
    )


def combine(combination: Combination, parts: list[BagScores], bags: BagSet) -> BagScores:
    """Combine the parts' scores of a bag set."""
    score = combination.weights.combine(np.stack([part.score for part in parts], axis=1), bags.sizes)
    contribution = np.stack([part.contribution for part in parts], axis=1)
    return BagScores(score, np.asarray(contribution @ combination.weights.shares()))


def _by_network(network: NetworkDetector, vectors: Vectors, bags: BagSet) -> BagScores:
    score, contribution = np.empty(len(bags)), np.empty(int(bags.sizes.sum()))
    starts = bags.offsets.astype(np.int64)
    for chosen in _batches(bags.sizes):
        rows, mask, _ = bags.padded(chosen)
        logit, parts = network.score_bags(vectors[rows], mask)
        score[chosen] = logit
        totals = np.maximum(parts.sum(axis=1, keepdims=True, dtype=np.float64), 1e-12)
        at = starts[chosen][:, None] + np.arange(mask.shape[1])
        contribution[at[mask]] = (parts / totals)[mask]
    return BagScores(score, contribution)


def _batches(sizes: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Indices of bags of similar size, as many per batch as memory allows."""
    order = np.argsort(-sizes, kind="stable")
    start = 0
    while start < order.size:
        longest = int(sizes[order[start]])
        count = max(1, _ROOM // max(1, longest) ** 2)
        yield order[start : start + count]
        start += count
