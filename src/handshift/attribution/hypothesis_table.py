"""The writer hypotheses of a page as arrays, scored together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.hmm_settings import HmmSettings
from handshift.attribution.session_merging import WriterHypothesis
from handshift.attribution.variational import MOST
from handshift.core.arrays import Flags, Floats


@dataclass(frozen=True, slots=True)
class HypothesisTable:
    """What the score of each hypothesis depends on; a page of forty words has about 300."""

    writers: NDArray[np.int64]
    evidence: Floats
    returning: NDArray[np.int64]
    """Sessions whose writer had one before."""
    scattered: Flags

    @classmethod
    def of(cls, hypotheses: Sequence[WriterHypothesis]) -> HypothesisTable:
        """Columns of these hypotheses, in their order."""
        writers = np.array([one.writers for one in hypotheses], np.int64)
        return cls(
            writers,
            np.array([one.evidence for one in hypotheses], float),
            np.array([one.sessions for one in hypotheses], np.int64) - writers,
            np.array([not one.blocks for one in hypotheses], bool),
        )

    def log_scores(self, settings: HmmSettings) -> Floats:
        """ln (evidence · prior) of each, with the priors of returning writers and of scattered words."""
        priors = self.returning * log(settings.return_prior) + self.scattered * log(settings.scattered_prior)
        return np.asarray(self.evidence + priors)

    def count_evidence(self, scores: Floats) -> Floats:
        """(5,) ln Σ exp of the scores of equally many writers; −∞ where no hypothesis has as many."""
        return np.array([_log_sum_exp(scores[self.writers == number]) for number in range(1, MOST + 1)])


def _log_sum_exp(logs: Floats) -> float:
    if not logs.size:
        return -np.inf
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum()))
