"""ROC curves; AUROC, EER and TPR at a false-positive rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.core.arrays import Flags, Floats
from handshift.metrics.scored import UnmeasurableError, as_scored


@dataclass(frozen=True)
class RocCurve:
    """Rates of "score ≥ threshold is positive", from (0, 0) to (1, 1); tied scores make one step."""

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    @property
    def area(self) -> float:
        """∫ TPR dFPR by trapezoids: P(score of a positive > score of a negative), ties counting half."""
        return float(np.diff(self.fpr) @ (self.tpr[1:] + self.tpr[:-1]) / 2)

    @property
    def eer(self) -> float:
        """Equal error rate: FPR = 1 − TPR, interpolated linearly between operating points."""
        gap = self.fpr - (1.0 - self.tpr)  # rises from −1 to 1
        after = int(np.searchsorted(gap, 0.0))
        share = -gap[after - 1] / (gap[after] - gap[after - 1])
        return float(self.fpr[after - 1] + share * (self.fpr[after] - self.fpr[after - 1]))

    def strictest(self, limit: float) -> int:
        """Index of the last point whose false-positive rate is at most ``limit``, without interpolation."""
        return int(np.searchsorted(self.fpr, limit, side="right")) - 1

    def tpr_at(self, limit: float) -> float:
        """max{TPR(t) : FPR(t) ≤ limit}, over the thresholds present in the data."""
        return float(self.tpr[self.strictest(limit)])


Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """N scored items, highest score first, each with a multiplicity for the bootstrap; all fields (N,)."""

    flags: Flags
    values: Floats
    counts: Counts
    order: NDArray[np.intp]
    """Original index of each item."""
    ends: NDArray[np.intp]
    """Index of the last item of each run of equal scores."""

    @classmethod
    def of(cls, labels: ArrayLike, scores: ArrayLike) -> Self:
        """Sort items, each with multiplicity 1.

        Args:
            labels: (N,) of 0 and 1.
            scores: (N,) scores, larger for label 1.

        Raises:
            UnmeasurableError: One class is absent, or a score is NaN.
        """
        flags, values = as_scored(labels, scores)
        order = np.argsort(-values, kind="stable")
        values = values[order]
        ends = np.append(np.flatnonzero(values[1:] != values[:-1]), values.size - 1)
        return cls(flags[order], values, np.ones(values.size, np.int64), order, ends)

    def drawn(self, counts: Counts) -> Self:
        """The same items with other multiplicities: ``counts`` (N,) in the original order."""
        return replace(self, counts=counts[self.order])

    @cached_property
    def curve(self) -> RocCurve:
        """All distinct operating points, (≤ N+1,) each, thresholds descending from +∞."""
        both = np.cumsum(self.counts)[self.ends]
        tp = np.cumsum(self.counts * self.flags)[self.ends]
        fp = both - tp
        if not tp[-1] or not fp[-1]:
            raise UnmeasurableError(f"all {both[-1]} labels are {int(tp[-1] > 0)}: both classes are needed")
        return RocCurve(
            fpr=np.append(0.0, fp / fp[-1]),
            tpr=np.append(0.0, tp / tp[-1]),
            thresholds=np.append(np.inf, self.values[self.ends]),
        )

    def items(self) -> tuple[Flags, Floats]:
        """Labels and scores, each item repeated by its multiplicity."""
        return np.repeat(self.flags, self.counts), np.repeat(self.values, self.counts)


def roc_curve(labels: ArrayLike, scores: ArrayLike) -> RocCurve:
    """ROC curve over all distinct operating points.

    Args:
        labels: (N,) of 0 and 1.
        scores: (N,) scores, larger for label 1.

    Returns:
        Rates and thresholds, (≤ N+1,) each, thresholds descending from +∞.

    Raises:
        UnmeasurableError: One class is absent, or a score is NaN.
    """
    return Sample.of(labels, scores).curve


def auroc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve: P(score of a positive > score of a negative), ties counting half."""
    return roc_curve(labels, scores).area


def tpr_at_fpr(labels: ArrayLike, scores: ArrayLike, limit: float) -> float:
    """Largest true-positive rate at a threshold whose false-positive rate is at most ``limit``.

    Only thresholds present in the data are used, so the bound holds on the data measured. With fewer than
    1/limit negatives no false positive is allowed.

    Args:
        labels: (N,) of 0 and 1.
        scores: (N,) scores, larger for label 1.
        limit: Largest false-positive rate.

    Returns:
        The true-positive rate.
    """
    return roc_curve(labels, scores).tpr_at(limit)


def threshold_at_fpr(labels: ArrayLike, scores: ArrayLike, limit: float) -> float:
    """The threshold that `tpr_at_fpr` uses; +∞ where any other exceeds ``limit``."""
    curve = roc_curve(labels, scores)
    return float(curve.thresholds[curve.strictest(limit)])


def tar_at_far(same: ArrayLike, similarities: ArrayLike, limit: float) -> float:
    """True-accept rate at false-accept rate ≤ ``limit``: verification's name for `tpr_at_fpr`."""
    return tpr_at_fpr(same, similarities, limit)


def eer(labels: ArrayLike, scores: ArrayLike) -> float:
    """Equal error rate: FPR = 1 − TPR, interpolated linearly between operating points."""
    return roc_curve(labels, scores).eer
