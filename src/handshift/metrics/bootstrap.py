"""Cluster bootstrap: confidence intervals from resampled writers, pages or images instead of words."""

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
    """A value, its percentile interval, and the number of draws that could be measured."""

    value: float
    low: float
    high: float
    draws: int


def draw_counts(groups: int, repeats: int, seed: int) -> NDArray[np.int64]:
    """Draw as many groups as there are, with replacement, ``repeats`` times.

    Args:
        groups: Number of groups.
        repeats: Number of draws.
        seed: Seed of the generator.

    Returns:
        (repeats, groups): how often each draw holds each group.
    """
    random = np.random.default_rng(seed)
    draws = (random.integers(groups, size=groups) for _ in range(repeats))
    return np.stack([np.bincount(drawn, minlength=groups) for drawn in draws])


def draw_groups(groups: ArrayLike, repeats: int, seed: int) -> list[NDArray[np.intp]]:
    """Resample groups with replacement; each drawn group brings all its items.

    Args:
        groups: (N,) the group of each item.
        repeats: Number of draws.
        seed: Seed of the generator.

    Returns:
        For each draw the indices of its items.
    """
    names, number = np.unique(np.asarray(groups), return_inverse=True)
    everything = np.arange(number.size)
    return [np.repeat(everything, counts[number]) for counts in draw_counts(names.size, repeats, seed)]


def bootstrap_interval(
    groups: ArrayLike, statistic: Statistic, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> Interval:
    """Percentile interval of a statistic over groups drawn with replacement.

    A draw on which the statistic is undefined (only one class is present) is left out.

    Args:
        groups: (N,) the group of each item.
        statistic: Maps item indices to the statistic's value on these items.
        repeats: Number of draws.
        level: Coverage of the interval.
        seed: Seed of the generator.

    Returns:
        The statistic on all items with its interval.

    Raises:
        UnmeasurableError: More than half of the draws are undefined: there are too few groups.
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
    """Return the ``tail`` and ``1 − tail`` quantiles."""
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
