"""The ways in which a second hand may have come into a bag, each with its prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.detect.branches import branches
from handshift.detect.climbing import Members, climb, heights
from handshift.detect.exhaustive import MOST_WORDS, weigh_every_division
from handshift.detect.partition import Bag, Floats


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
    prefix = np.vstack([np.zeros(bag.words.shape[1]), np.cumsum(bag.words, axis=0)])
    ratios = [bag.forms.at(prefix[length:] - prefix[:-length], length) for length in range(1, n)]
    writers, sessions = np.concatenate(ratios).T
    lengths = np.repeat(np.arange(1, n), np.arange(n, 1, -1))
    starts = np.concatenate([np.arange(n - length + 1) for length in range(1, n)])
    log_prior = -np.log(n - 1) - np.log(n - lengths + 1)
    evidence = _log_sum(writers + log_prior)
    share = np.exp(writers + log_prior - evidence)
    # A block of more than half the words leaves the rest as the smaller side.
    small = 2 * lengths <= n
    edges = np.zeros(n + 1)
    np.add.at(edges, starts, np.where(small, share, -share))
    np.subtract.at(edges, starts + lengths, np.where(small, share, -share))
    return Weighed(evidence, _log_sum(sessions + log_prior), np.cumsum(edges)[:n] + share[~small].sum())


def scattered(bag: Bag, start: NDArray[np.bool_], tree: bool = False) -> Weighed:
    """Words here and there by another hand: any number up to half alike, then any words.

    Bags of up to 16 words are summed over exactly. Larger ones are climbed from `start`, and with `tree`
    from the best branch of a tree of the words too, by flipping one word at a time; the summits and their
    neighbours stand for the sum, which they bound from below.
    """
    n = bag.size
    if n <= MOST_WORDS:
        members, sizes, writers, sessions = weigh_every_division(bag)
    else:
        found = _around_summits(bag, [start, _best_branch(bag)] if tree else [start])
        members, sizes = found.astype(np.float64), found.sum(axis=1)
        writers, sessions = bag.log_ratios(members @ bag.words, sizes)
    log_prior = _log_prior(n, sizes)
    evidence = _log_sum(writers + log_prior)
    share = np.exp(writers + log_prior - evidence)
    return Weighed(evidence, _log_sum(sessions + log_prior), share @ members)


def _around_summits(bag: Bag, starts: Sequence[Members]) -> Members:
    around = [climb(bag, start, _log_prior) for start in starts]
    return np.asarray(np.unique(np.vstack(around), axis=0))


def _best_branch(bag: Bag) -> Members:
    tree = branches(bag)
    sizes = tree.sum(axis=1)
    tree = np.where((sizes > bag.size // 2)[:, None], ~tree, tree)  # the smaller side is the second
    return np.asarray(tree[int(np.argmax(heights(bag, tree, _log_prior)))])


def _log_sum(logs: Floats) -> float:
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum()))


def _log_prior(n: int, sizes: NDArray[np.int64]) -> Floats:
    """−ln(⌊n/2⌋ · C(n, size))."""
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])  # ln k!
    choose = factorial[n] - factorial[sizes] - factorial[n - sizes]
    return np.asarray(-np.log(max(1, n // 2)) - choose)
