"""Bags of one truth against bags of another, gathered group by group and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics import measure
from handshift.study.task import Outcome, ScoredItems


@dataclass
class Comparisons:
    """What was scored so far; writers are the units that intervals are drawn over."""

    _groups: dict[str, tuple[ArrayLike, ArrayLike, ArrayLike]] = field(default_factory=dict)

    def add(self, group: str, truth: ArrayLike, score: ArrayLike, writer: ArrayLike) -> None:
        """One comparison, all (bags,): whether a bag is what should be found, how it scored, whose it is."""
        self._groups[group] = truth, score, writer

    def outcome(self, metrics: Sequence[str]) -> Outcome:
        """Every comparison measured, and the items behind it."""
        figures = {
            group: measure(metrics, np.asarray(truth, np.int64), np.asarray(score, np.float64))
            for group, (truth, score, _) in self._groups.items()
        }
        truth, score, writer = (np.concatenate(part) for part in zip(*self._groups.values(), strict=True))
        group = np.repeat(list(self._groups), [len(np.asarray(part[0])) for part in self._groups.values()])
        return Outcome(figures, ScoredItems(truth.astype(np.int64), score.astype(np.float64), group, writer))
