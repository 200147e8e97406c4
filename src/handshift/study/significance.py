"""Paired tests of variants against the baseline over seeds, with Holm's correction for their number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from handshift.study.results import Results


def holm(p_values: ArrayLike) -> NDArray[np.float64]:
    """Holm's step-down adjustment, (n,) → (n,): p₍ᵢ₎ · (n − i + 1), made monotone and cut at 1.

    Undefined comparisons (NaN) stay undefined and are not counted.
    """
    values = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full_like(values, np.nan)
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(values[order] * factors))
    return adjusted


@dataclass(frozen=True)
class Comparison:
    """Differences variant − baseline, or another, over the n seeds of both; NaN where n is too small."""

    metric: str
    group: str
    variant: str
    seeds: int
    delta: float
    low: float
    """95 % t-interval of the mean difference over seeds."""
    high: float
    t_p: float
    t_p_holm: float
    wilcoxon_p: float
    wilcoxon_p_holm: float
    effect: float
    """Cohen's d of the paired differences, mean / std (n − 1)."""


def compare(results: Results, metric: str, group: str) -> list[Comparison]:
    """All variants against the baseline, p-values adjusted by Holm over these variants."""
    record = results.record
    others = [variant for variant in record.variants if variant != record.baseline]
    return compare_pairs(results, metric, group, [(variant, record.baseline) for variant in others])


def compare_pairs(
    results: Results, metric: str, group: str, pairs: Sequence[tuple[str, str]]
) -> list[Comparison]:
    """Each first variant against its second, p-values adjusted by Holm over these pairs."""
    found = [_compare_one(results, metric, group, *pair) for pair in pairs]
    t_adjusted = holm([entry.t_p for entry in found])
    w_adjusted = holm([entry.wilcoxon_p for entry in found])
    return [
        replace(entry, t_p_holm=float(t), wilcoxon_p_holm=float(w))
        for entry, t, w in zip(found, t_adjusted, w_adjusted, strict=True)
    ]


def all_comparisons(results: Results) -> list[Comparison]:
    """Every metric and every group, overall included, where a variant and the baseline share a seed."""
    return [
        entry
        for metric in results.record.metrics
        for group in results.columns()
        for entry in compare(results, metric, group)
        if entry.seeds
    ]


def smallest_wilcoxon_p(seeds: int) -> float:
    """What the two-sided signed-rank test gives at best, all differences on one side: 2 / 2ⁿ."""
    return min(1.0, 2.0 / 2.0**seeds)


def _compare_one(results: Results, metric: str, group: str, variant: str, against: str) -> Comparison:
    ours = results.values(metric, group, variant)
    theirs = results.values(metric, group, against)
    shared = sorted(ours.keys() & theirs.keys())
    # Rounding to 12 digits: 0.3 − 0.1 and 0.4 − 0.2 are one difference, not two that rank apart.
    differences = np.round([ours[seed] - theirs[seed] for seed in shared], 12)
    delta = float(differences.mean()) if shared else math.nan
    t_p, low, high, effect = _paired_t(differences)
    wilcoxon_p = _signed_rank(differences)
    return Comparison(
        metric, group, variant, len(shared), delta, low, high, t_p, math.nan, wilcoxon_p, math.nan, effect
    )


def _paired_t(differences: NDArray[np.float64]) -> tuple[float, float, float, float]:
    count = differences.size
    # One seed, or the same difference each time: the test has no scale to measure by.
    if count < 2 or np.ptp(differences) == 0.0:
        return math.nan, math.nan, math.nan, math.nan
    spread = float(differences.std(ddof=1))
    mean = float(differences.mean())
    half = float(stats.t.ppf(0.975, count - 1)) * spread / math.sqrt(count)
    p_value = float(stats.ttest_1samp(differences, 0.0).pvalue)
    return p_value, mean - half, mean + half, mean / spread


def _signed_rank(differences: NDArray[np.float64]) -> float:
    if differences.size < 2 or not differences.any():
        return math.nan
    return float(stats.wilcoxon(differences).pvalue)
