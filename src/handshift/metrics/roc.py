"""How well a score separates two classes, over all thresholds and at the strict end."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from handshift.metrics.scored import Floats, as_scored


@dataclass(frozen=True)
class RocCurve:
    """Rates when score ≥ threshold is called positive; from (0, 0) to (1, 1), ties in one step."""

    fpr: Floats
    tpr: Floats
    thresholds: Floats


def roc_curve(labels: ArrayLike, scores: ArrayLike) -> RocCurve:
    """All distinct operating points, (≤ N+1,) each, thresholds descending from +∞."""
    flags, values = as_scored(labels, scores)
    order = np.argsort(-values, kind="stable")
    values, flags = values[order], flags[order]
    ends = np.append(np.flatnonzero(values[1:] != values[:-1]), values.size - 1)  # last of each run of ties
    tp = np.cumsum(flags)[ends]
    fp = ends + 1 - tp
    return RocCurve(
        fpr=np.append(0.0, fp / fp[-1]),
        tpr=np.append(0.0, tp / tp[-1]),
        thresholds=np.append(np.inf, values[ends]),
    )


def auroc(labels: ArrayLike, scores: ArrayLike) -> float:
    """P(score of a positive > score of a negative), ties counting half: (R⁺ − n⁺(n⁺+1)/2) / (n⁺·n⁻)."""
    flags, values = as_scored(labels, scores)
    positives = int(flags.sum())
    ranks = rankdata(values)[flags].sum()
    return float((ranks - positives * (positives + 1) / 2) / (positives * (flags.size - positives)))


def tpr_at_fpr(labels: ArrayLike, scores: ArrayLike, limit: float) -> float:
    """The largest true-positive rate at a threshold whose false-positive rate is at most ``limit``.

    max{TPR(t) : FPR(t) ≤ limit}, on real thresholds, without interpolation: the promise "no more than 1 %
    false alarms" is kept by the data measured. With fewer than 1/limit negatives, no false alarm is allowed.
    """
    curve = roc_curve(labels, scores)
    return float(curve.tpr[curve.fpr <= limit][-1])


def threshold_at_fpr(labels: ArrayLike, scores: ArrayLike, limit: float) -> float:
    """The threshold that ``tpr_at_fpr`` uses (+∞ where only silence keeps the promise)."""
    curve = roc_curve(labels, scores)
    return float(curve.thresholds[curve.fpr <= limit][-1])


def tar_at_far(same: ArrayLike, similarities: ArrayLike, limit: float) -> float:
    """True-accept rate at false-accept rate ≤ ``limit``: verification's name for ``tpr_at_fpr``."""
    return tpr_at_fpr(same, similarities, limit)


def eer(labels: ArrayLike, scores: ArrayLike) -> float:
    """The error rate where misses equal false alarms, on the straight line between operating points."""
    curve = roc_curve(labels, scores)
    gap = curve.fpr - (1.0 - curve.tpr)  # rises from −1 to 1
    after = int(np.searchsorted(gap, 0.0))
    share = -gap[after - 1] / (gap[after] - gap[after - 1])
    return float(curve.fpr[after - 1] + share * (curve.fpr[after] - curve.fpr[after - 1]))
