"""Evidence summed over bipartitions with their priors: contiguous blocks, and scattered words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from handshift.core.arrays import Floats
from handshift.detect.partition.agglomerate import agglomerate
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.detect.partition.hill_climb import Members, hill_climb, log_posteriors

MOST_WORDS = 16
"""39,202 bipartitions of sixteen words take milliseconds; each further word doubles them."""


@cache
def all_bipartitions(n: int) -> tuple[Floats, NDArray[np.int64]]:
    """Every subset of at most half of n words, ascending in size: 0/1 (subsets, n), and sizes."""
    codes = np.arange(1, 2**n)
    members = (codes[:, None] >> np.arange(n)) & 1
    sizes = members.sum(axis=1)
    order = np.argsort(sizes, kind="stable")[: np.count_nonzero(sizes <= n // 2)]
    return members[order].astype(np.float64), sizes[order]


def bipartition_log_ratios(bag: ProjectedBag) -> tuple[Floats, NDArray[np.int64], Floats, Floats]:
    """Members (bipartitions, words), sizes, and both log ratios (bipartitions,), enumerated exactly.

    A ratio is a quadratic form in the second group's sum, s = Σ m_i·x_i, so it is one in the zeros and ones
    m too: mᵀ G m with G_ij = Σ_d square_d·x_id·x_jd + δ_ij Σ_d linear_d·x_id. That has as many
    dimensions as there are words, not as vectors have.
    """
    members, sizes = all_bipartitions(bag.size)
    x, forms = bag.words, bag.forms
    ratios = np.empty((2, len(members)))
    bounds = np.searchsorted(sizes, np.arange(1, bag.size // 2 + 2))
    for row, same_size in enumerate(map(slice, bounds[:-1], bounds[1:])):
        for hypothesis in (0, 1):
            gram = (x * forms.square[row, :, hypothesis]) @ x.T
            gram[np.diag_indices(bag.size)] += x @ forms.linear[row, :, hypothesis]
            form = np.einsum("mi,mi->m", members[same_size] @ gram, members[same_size])
            ratios[hypothesis, same_size] = form + forms.constant[row, hypothesis]
    return members, sizes, ratios[0], ratios[1]


@dataclass(frozen=True, slots=True)
class PartitionEvidence:
    """Likelihood ratios summed over bipartitions, each times its prior."""

    two_writers: float
    """ln Σ prior · p(words | two writers) / p(words | one writer, one session)."""
    two_sessions: float
    """The same for one writer in two sessions."""
    foreign: Floats
    """(words,) probability that a word belongs to the smaller group, given two writers."""


def block_evidence(bag: ProjectedBag) -> PartitionEvidence:
    """Evidence for one contiguous block: uniform over lengths, then over positions."""
    n = bag.size
    prefix = np.vstack([np.zeros(bag.words.shape[1]), np.cumsum(bag.words, axis=0)])
    ratios = [bag.forms.at(prefix[length:] - prefix[:-length], length) for length in range(1, n)]
    writers, sessions = np.concatenate(ratios).T
    lengths = np.repeat(np.arange(1, n), np.arange(n, 1, -1))
    starts = np.concatenate([np.arange(n - length + 1) for length in range(1, n)])
    log_prior = -np.log(n - 1) - np.log(n - lengths + 1)
    evidence = _log_sum(writers + log_prior)
    share = np.exp(writers + log_prior - evidence)
    # For a block of more than half the words, the rest is the smaller group.
    small = 2 * lengths <= n
    edges = np.zeros(n + 1)
    np.add.at(edges, starts, np.where(small, share, -share))
    np.subtract.at(edges, starts + lengths, np.where(small, share, -share))
    return PartitionEvidence(
        evidence, _log_sum(sessions + log_prior), np.cumsum(edges)[:n] + share[~small].sum()
    )


def scattered_evidence(bag: ProjectedBag, start: NDArray[np.bool_], tree: bool = False) -> PartitionEvidence:
    """Evidence for scattered words: uniform over their number up to half, then over subsets.

    Bags of up to 16 words are enumerated exactly. Larger ones are searched by hill climbing; the maxima and
    their neighbours approximate the sum from below.

    Args:
        bag: the projected words.
        start: (words,) initial members of the second group.
        tree: whether to climb from the best cluster of an agglomerative clustering too.
    """
    n = bag.size
    if n <= MOST_WORDS:
        members, sizes, writers, sessions = bipartition_log_ratios(bag)
    else:
        found = _around_maxima(bag, [start, _best_cluster(bag)] if tree else [start])
        members, sizes = found.astype(np.float64), found.sum(axis=1)
        writers, sessions = bag.log_ratios(members @ bag.words, sizes)
    log_prior = _log_prior(n, sizes)
    evidence = _log_sum(writers + log_prior)
    share = np.exp(writers + log_prior - evidence)
    return PartitionEvidence(evidence, _log_sum(sessions + log_prior), share @ members)


def _around_maxima(bag: ProjectedBag, starts: Sequence[Members]) -> Members:
    around = [hill_climb(bag, start, _log_prior) for start in starts]
    return np.asarray(np.unique(np.vstack(around), axis=0))


def _best_cluster(bag: ProjectedBag) -> Members:
    tree = agglomerate(bag)
    sizes = tree.sum(axis=1)
    tree = np.where((sizes > bag.size // 2)[:, None], ~tree, tree)  # the smaller group is the second
    return np.asarray(tree[int(np.argmax(log_posteriors(bag, tree, _log_prior)))])


def _log_sum(logs: Floats) -> float:
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum()))


def _log_prior(n: int, sizes: NDArray[np.int64]) -> Floats:
    """−ln(⌊n/2⌋ · C(n, size))."""
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])  # ln k!
    choose = factorial[n] - factorial[sizes] - factorial[n - sizes]
    return np.asarray(-np.log(max(1, n // 2)) - choose)
