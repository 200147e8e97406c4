"""The operating points of a score, and the figures that are read off them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.metrics.scored import Floats


@dataclass(frozen=True)
class RocCurve:
    """Rates when score ≥ threshold is called positive; from (0, 0) to (1, 1), ties in one step."""

    fpr: Floats
    tpr: Floats
    thresholds: Floats

    @property
    def area(self) -> float:
        """∫ TPR dFPR by trapezoids: P(score of a positive > score of a negative), ties counting half."""
        return float(np.diff(self.fpr) @ (self.tpr[1:] + self.tpr[:-1]) / 2)

    @property
    def eer(self) -> float:
        """The error rate where misses equal false alarms, on the straight line between operating points."""
        gap = self.fpr - (1.0 - self.tpr)  # rises from −1 to 1
        after = int(np.searchsorted(gap, 0.0))
        share = -gap[after - 1] / (gap[after] - gap[after - 1])
        return float(self.fpr[after - 1] + share * (self.fpr[after] - self.fpr[after - 1]))

    def strictest(self, limit: float) -> int:
        """The last point whose false-positive rate is at most ``limit``, without interpolation."""
        return int(np.searchsorted(self.fpr, limit, side="right")) - 1

    def tpr_at(self, limit: float) -> float:
        """max{TPR(t) : FPR(t) ≤ limit}: the promise "no more than 1 % false alarms" is kept."""
        return float(self.tpr[self.strictest(limit)])
