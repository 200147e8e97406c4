"""The ways in which a second hand may have come into a bag, each with its prior."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.detect.partition import Bag, Floats

_EXACT = 12
"""Up to this many words every division is tried; beyond, a local search."""
_MOST_FLIPS = 60


@dataclass(frozen=True, slots=True)
class Weighed:
    """All divisions of a bag, each ratio times its prior, summed."""

    two_writers: float
    """ln Σ prior · p(words | two writers) / p(words | one writer, one session)."""
    two_sessions: float
    """The same for one writer in two sessions."""
    foreign: Floats
    """(words,) probability that a word stands on the smaller side, given two writers."""


def blocks(bag: Bag) -> Weighed:
    """One run of words by another hand: any length alike, then any place."""
    n = bag.size
    starts, lengths = _all_blocks(n)
    prefix = np.vstack([np.zeros(bag.words.shape[1]), np.cumsum(bag.words, axis=0)])
    writers, sessions = bag.log_ratios(prefix[starts + lengths] - prefix[starts], lengths)
    log_prior = -np.log(n - 1) - np.log(n - lengths + 1)
    evidence = _log_sum(writers + log_prior)
    share = np.exp(writers + log_prior - evidence)
    # A block of more than half the words leaves the rest as the smaller side.
    small = 2 * lengths <= n
    edges = np.zeros(n + 1)
    np.add.at(edges, starts, np.where(small, share, -share))
    np.subtract.at(edges, starts + lengths, np.where(small, share, -share))
    return Weighed(evidence, _log_sum(sessions + log_prior), np.cumsum(edges)[:n] + share[~small].sum())


def scattered(bag: Bag, start: NDArray[np.bool_]) -> Weighed:
    """Words here and there by another hand: any number up to half alike, then any words.

    Small bags are summed over exactly. Larger ones are climbed from `start` by flipping one word at a time;
    the summit and its neighbours stand for the sum, which they bound from below.
    """
    n = bag.size
    members = _every_division(n) if n <= _EXACT else _around_the_summit(bag, start)
    sizes = members.sum(axis=1)
    writers, sessions = bag.log_ratios(members @ bag.words, sizes)
    log_prior = _log_prior(n, sizes)
    evidence = _log_sum(writers + log_prior)
    share = np.exp(writers + log_prior - evidence)
    return Weighed(evidence, _log_sum(sessions + log_prior), share @ members)


def _log_sum(logs: Floats) -> float:
    return float(np.logaddexp.reduce(logs))


def _log_prior(n: int, sizes: NDArray[np.int64]) -> Floats:
    """−ln(⌊n/2⌋ · C(n, size))."""
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])  # ln k!
    choose = factorial[n] - factorial[sizes] - factorial[n - sizes]
    return np.asarray(-np.log(max(1, n // 2)) - choose)


def _all_blocks(n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    starts, ends = np.triu_indices(n)
    lengths = ends - starts + 1
    keep = lengths < n
    return starts[keep], lengths[keep]


def _every_division(n: int) -> NDArray[np.bool_]:
    """(2^n − … , n) every subset of at most half the words."""
    codes = np.arange(1, 2**n)
    members = (codes[:, None] >> np.arange(n)) & 1 == 1
    return np.asarray(members[members.sum(axis=1) <= n // 2])


def _around_the_summit(bag: Bag, start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The best division found by single flips, with all its neighbours; (1 + words, words)."""
    n = bag.size
    flips = np.vstack([np.zeros((1, n), bool), np.eye(n, dtype=bool)])
    summit = start
    for _ in range(_MOST_FLIPS):
        near = flips ^ summit
        sizes = near.sum(axis=1)
        allowed = (sizes >= 1) & (sizes <= n // 2)
        near, sizes = near[allowed], sizes[allowed]
        value = bag.log_ratios(near @ bag.words, sizes)[0] + _log_prior(n, sizes)
        best = near[int(np.argmax(value))]
        if np.array_equal(best, summit):
            break
        summit = best
    near = flips ^ summit
    sizes = near.sum(axis=1)
    return np.asarray(near[(sizes >= 1) & (sizes <= n // 2)])
