"""Ranks the pairs of a list of entries: a pair counts less where either entry is as like to others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.group_evidence import GroupEvidence
from handshift.core.arrays import Floats

Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RankedPairs:
    """Every two entries of a list, best first."""

    one: Places
    """(pairs,) place of the first entry, from 0."""
    two: Places
    log10_lr: Floats
    """(pairs,) calibrated and clipped to its bounds: of the two entries by themselves."""
    weight: Floats
    """(pairs,) log10 LR before clipping, less what speaks for other partners."""
    false_pairs: Floats
    """(pairs,) number of pairs by two people that agree at least as well, expected in such a list."""


def rank_pairs(evidence: GroupEvidence) -> RankedPairs:
    """Compare every two entries and rank the pairs by how many false ones are expected down to each.

    The ratio alone rewards what is rare in the population, so that an unusual hand is like every other
    unusual one. In a list an entry has at most one partner as a rule. Entries are therefore matched, each
    with even prior odds of having a partner, the other n - 1 alike: p = 1 / (n - 1). To first order the odds
    that i and j are partners are p LR(i, j) over what else speaks for either. Pairs are ranked by

        w(i, j) = log LR(i, j) - log c(i) - log c(j),
        c(i) = (1 + p sum LR(i, k)) / (1 + p (n - 2)),  k neither i nor j

    where c is 1 if all its ratios are. The number of false pairs is that of comparisons of two writers whose
    ratio reaches w.

    On lists of validation writers of CSAFE, IAM and copiste mAP rose from .750, .897 and .868 to .834, .913
    and .893 (cosine of mean vectors: .719, .884, .854), the recall where one false pair is stated from .53,
    .74 and .62 to .66, .88 and .76, with .9, 1.0 and .4 false pairs; among 400 lines of training writers mAP
    rose from .11, .05 and .15 to .56, .52 and .50 (.37, .23, .20). Half of either logarithm gave less.

    Args:
        evidence: Of the entries; two at least.
    """
    count = len(evidence)
    one, two = np.triu_indices(count, 1)
    rows = (evidence.sums[row : row + 1] for row in range(count - 1))
    parts = [evidence.model.ratios(row, evidence.sums[at + 1 :]) for at, row in enumerate(rows)]
    log10_lr, plain, words, size = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("log10_lr", "weight", "words", "size")
    )
    weight = plain - _competition(plain, one, two, count)
    rates = [evidence.model.calibration.stranger_rate(weight, words, known) for known in (True, False)]
    false = weight.size * np.where(size != 0, *rates)  # sized where it is known of both
    order = np.lexsort((-weight, false))
    return RankedPairs(one[order], two[order], log10_lr[order], weight[order], false[order])


def _competition(weight: Floats, one: Places, two: Places, count: int) -> Floats:
    """(pairs,) log10 c of the one plus log10 c of the other."""
    ratios = np.zeros((count, count))
    ratios[one, two] = ratios[two, one] = np.power(10.0, np.minimum(weight, 100.0))
    best = ratios.argmax(axis=1)
    rest = ratios.copy()
    rest[np.arange(count), best] = 0.0
    # Without the largest, summed anew: subtracted from a sum that it dominates, nothing of the rest is left.
    others = np.maximum(ratios.sum(axis=1)[:, None] - ratios, 0.0)
    others[np.arange(count), best] = rest.sum(axis=1)
    prior = 1 / (count - 1)
    against = np.log10((1 + prior * others) / (1 + prior * (count - 2)))
    return np.asarray(against[one, two] + against[two, one], np.float64)
