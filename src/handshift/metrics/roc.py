"""How well a score separates two classes, over all thresholds and at the strict end."""

from __future__ import annotations

from numpy.typing import ArrayLike

from handshift.metrics.curve import RocCurve
from handshift.metrics.sample import Sample


def roc_curve(labels: ArrayLike, scores: ArrayLike) -> RocCurve:
    """All distinct operating points, (≤ N+1,) each, thresholds descending from +∞."""
    return Sample.of(labels, scores).curve


def auroc(labels: ArrayLike, scores: ArrayLike) -> float:
    """P(score of a positive > score of a negative), ties counting half."""
    return roc_curve(labels, scores).area


def tpr_at_fpr(labels: ArrayLike, scores: ArrayLike, limit: float) -> float:
    """The largest true-positive rate at a threshold whose false-positive rate is at most ``limit``.

    On real thresholds: the promise is kept by the data measured. With fewer than 1/limit negatives, no false
    alarm is allowed.
    """
    return roc_curve(labels, scores).tpr_at(limit)


def threshold_at_fpr(labels: ArrayLike, scores: ArrayLike, limit: float) -> float:
    """The threshold that ``tpr_at_fpr`` uses (+∞ where only silence keeps the promise)."""
    curve = roc_curve(labels, scores)
    return float(curve.thresholds[curve.strictest(limit)])


def tar_at_far(same: ArrayLike, similarities: ArrayLike, limit: float) -> float:
    """True-accept rate at false-accept rate ≤ ``limit``: verification's name for ``tpr_at_fpr``."""
    return tpr_at_fpr(same, similarities, limit)


def eer(labels: ArrayLike, scores: ArrayLike) -> float:
    """The error rate where misses equal false alarms, on the straight line between operating points."""
    return roc_curve(labels, scores).eer
