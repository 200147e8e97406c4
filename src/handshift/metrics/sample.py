"""Items sorted by score once, then measured as often as they are drawn again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.metrics.curve import RocCurve
from handshift.metrics.scored import Flags, Floats, UnmeasurableError, as_scored

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """N items, the highest score first, and how often each was drawn, all (N,)."""

    flags: Flags
    values: Floats
    counts: Counts
    order: NDArray[np.intp]
    """Where each item stood before they were sorted."""
    ends: NDArray[np.intp]
    """The last of each run of equal scores."""

    @classmethod
    def of(cls, labels: ArrayLike, scores: ArrayLike) -> Self:
        """Every item once."""
        flags, values = as_scored(labels, scores)
        order = np.argsort(-values, kind="stable")
        values = values[order]
        ends = np.append(np.flatnonzero(values[1:] != values[:-1]), values.size - 1)
        return cls(flags[order], values, np.ones(values.size, np.int64), order, ends)

    def drawn(self, counts: Counts) -> Self:
        """The same items, each as often as ``counts`` says; (N,), in the order they were given in."""
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
        """Labels and scores one by one, an item drawn twice standing twice."""
        return np.repeat(self.flags, self.counts), np.repeat(self.values, self.counts)
