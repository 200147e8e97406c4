"""Decisions at a threshold: choosing it, counting right and wrong answers, and trivial baselines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics.roc import roc_curve
from handshift.metrics.scored import as_scored

CHANCE_AUROC = 0.5
CHANCE_EER = 0.5
NEUTRAL_CLLR = 1.0  # LR = 1 for every case


def always_positive_f1(labels: ArrayLike) -> float:
    """F1 of calling everything positive: 2π / (1 + π) for the share π of positives."""
    share = float(np.asarray(labels, dtype=np.float64).mean())
    return 2 * share / (1 + share)


def always_positive_precision(labels: ArrayLike) -> float:
    """Precision of calling everything positive: the share π of positives."""
    return float(np.asarray(labels, dtype=np.float64).mean())


def majority_accuracy(labels: ArrayLike) -> float:
    """Accuracy of always choosing the majority class: max(π, 1 − π)."""
    share = float(np.asarray(labels, dtype=np.float64).mean())
    return max(share, 1 - share)


def chance_tpr(limit: float) -> float:
    """True-positive rate of random guessing at false-positive rate ``limit``."""
    return limit


Criterion = Literal["f1", "accuracy", "youden"]


@dataclass(frozen=True)
class Decisions:
    """Confusion counts and the rates derived from them; a rate without cases is 0."""

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int

    @property
    def precision(self) -> float:
        """TP / (TP + FP)."""
        return _rate(self.true_positives, self.false_positives)

    @property
    def recall(self) -> float:
        """TP / (TP + FN)."""
        return _rate(self.true_positives, self.false_negatives)

    @property
    def false_positive_rate(self) -> float:
        """FP / (FP + TN)."""
        return _rate(self.false_positives, self.true_negatives)

    @property
    def f1(self) -> float:
        """2·TP / (2·TP + FP + FN)."""
        return _rate(2 * self.true_positives, self.false_positives + self.false_negatives)

    @property
    def accuracy(self) -> float:
        """(TP + TN) / all."""
        right = self.true_positives + self.true_negatives
        return _rate(right, self.false_positives + self.false_negatives)


def choose_threshold(labels: ArrayLike, scores: ArrayLike, criterion: Criterion = "f1") -> float:
    """Choose the threshold that maximises ``criterion``.

    Use validation data, never the data on which the result is reported. The threshold lies halfway to the
    next lower score, so that a new score falls on the side of the scores nearest to it.

    Args:
        labels: (N,) of 0 and 1.
        scores: (N,) scores, larger for label 1.
        criterion: ``f1``, ``accuracy`` or ``youden`` (TPR − FPR).

    Returns:
        The threshold; score ≥ threshold is positive.

    Raises:
        UnmeasurableError: One class is absent, or a score is NaN.
    """
    flags, values = as_scored(labels, scores)
    curve = roc_curve(flags, values)
    positives, negatives = int(flags.sum()), int((~flags).sum())
    tp, fp = curve.tpr * positives, curve.fpr * negatives
    quality = {
        "f1": 2 * tp / (tp + fp + positives),
        "accuracy": (tp + negatives - fp) / values.size,
        "youden": curve.tpr - curve.fpr,
    }[criterion]
    best = int(np.argmax(quality[1:])) + 1
    lower = curve.thresholds[best + 1] if best + 1 < curve.thresholds.size else curve.thresholds[best]
    return float(lower + (curve.thresholds[best] - lower) / 2)


def decide(labels: ArrayLike, scores: ArrayLike, threshold: float) -> Decisions:
    """Count the decisions of "score ≥ threshold is positive".

    Args:
        labels: (N,) of 0 and 1.
        scores: (N,) scores, larger for label 1.
        threshold: The decision threshold.

    Returns:
        The confusion counts.
    """
    flags, values = as_scored(labels, scores)
    called = values >= threshold
    return Decisions(
        true_positives=int((called & flags).sum()),
        false_positives=int((called & ~flags).sum()),
        true_negatives=int((~called & ~flags).sum()),
        false_negatives=int((~called & flags).sum()),
    )


def _rate(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else 0.0
