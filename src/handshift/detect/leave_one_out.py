"""Leave-one-out evidence: each word against all others under PLDA, for a single foreign word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handshift.core.arrays import Vectors
from handshift.detect.detector import BagScore
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.plda import Plda


@dataclass(frozen=True, slots=True)
class LeaveOneOutEvidence:
    """Likelihood ratio of exactly one foreign word, uniform over words, against none.

    With r_i = p(words | word i by another writer) and d_i = p(words | word i of another day), both relative
    to one writer on one day, score = ln mean_i r_i − ln ½(1 + mean_i d_i); word i contributes r_i / Σ r.
    """

    model: Plda
    order_aware: ClassVar[bool] = False

    def score(self, words: Vectors) -> BagScore:
        """Score (words, raw dimensions)."""
        n = len(words)
        if n < 2:
            return BagScore(0.0, np.ones(n))
        bag = ProjectedBag(self.model.project(words), self.model)
        writers, sessions = bag.log_ratios(bag.words, np.ones(n, np.int64))
        evidence = np.logaddexp.reduce(writers)
        days = np.logaddexp.reduce(sessions) - np.log(n)
        score = evidence - np.log(n) - np.logaddexp(0.0, days) + np.log(2)
        return BagScore(float(score), np.exp(writers - evidence))
