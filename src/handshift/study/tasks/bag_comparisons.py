"""Comparisons of two classes of bags, accumulated by group and evaluated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.metrics import measure
from handshift.study.task import Outcome, ScoredItems


class Comparisons:
    """Accumulates scored bags; writers are the units that intervals are drawn over."""

    def __init__(self) -> None:
        self._groups: dict[str, tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.str_]]] = {}

    def add(self, group: str, truth: ArrayLike, score: ArrayLike, writer: ArrayLike) -> None:
        """Add one comparison.

        Args:
            group: Its name.
            truth: Whether each bag is positive, (bags,).
            score: The detector's score, (bags,).
            writer: The bag's writer, (bags,).
        """
        self._groups[group] = np.asarray(truth, np.int64), np.asarray(score, np.float64), np.asarray(writer)

    def outcome(self, metrics: Sequence[str]) -> Outcome:
        """Evaluate every comparison; return its figures and scored items."""
        figures = {group: measure(metrics, *of[:2]) for group, of in self._groups.items()}
        truth, score, writer = (np.concatenate(part) for part in zip(*self._groups.values(), strict=True))
        group = np.repeat(list(self._groups), [len(of[0]) for of in self._groups.values()])
        return Outcome(figures, ScoredItems(truth, score, group, writer))
