"""Intervals that respect who wrote what: whole writers, pages or images are drawn again, not words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.core.arrays import Floats
from handshift.metrics.scored import UnmeasurableError

Statistic = Callable[[NDArray[np.intp]], float]


@dataclass(frozen=True)
class Interval:
    """A figure, its percentile interval, and how many draws could be measured."""

    value: float
    low: float
    high: float
    draws: int


def draw_counts(groups: int, repeats: int, seed: int) -> NDArray[np.int64]:
    """(repeats, groups): how often each group comes up when as many are drawn with replacement."""
    random = np.random.default_rng(seed)
    draws = (random.integers(groups, size=groups) for _ in range(repeats))
    return np.stack([np.bincount(drawn, minlength=groups) for drawn in draws])


def draw_groups(groups: ArrayLike, repeats: int, seed: int) -> list[NDArray[np.intp]]:
    """Item indices of ``repeats`` draws of G groups out of G, with replacement, each with all its items."""
    names, number = np.unique(np.asarray(groups), return_inverse=True)
    everything = np.arange(number.size)
    return [np.repeat(everything, counts[number]) for counts in draw_counts(names.size, repeats, seed)]


def bootstrap_interval(
    groups: ArrayLike, statistic: Statistic, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Percentile interval of ``statistic(item indices)`` over groups drawn with replacement.

    A draw in which the figure does not exist (only one class came up) is left out; more than half left out
    means that there are too few groups for an interval, and that is said.
    """
    everything = np.arange(np.asarray(groups).size)
    values: list[float] = []
    for sample in draw_groups(groups, repeats, seed):
        try:
            values.append(statistic(sample))
        except UnmeasurableError:
            continue
    if 2 * len(values) < repeats:
        raise UnmeasurableError(f"only {len(values)} of {repeats} draws can be measured: too few groups")
    tail = (1 - level) / 2
    low, high = percentiles(np.asarray(values), tail)
    return Interval(statistic(everything), low, high, len(values))


def percentiles(values: Floats, tail: float) -> tuple[float, float]:
    """The ``tail`` and ``1 − tail`` quantiles."""
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
