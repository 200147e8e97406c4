"""What a detector that knows nothing would score: the figure to print beside every figure.

Yes or no: a threshold chosen on validation data, and what it does on other data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from handshift.metrics.roc import roc_curve
from handshift.metrics.scored import as_scored

CHANCE_AUROC = 0.5
CHANCE_EER = 0.5
NEUTRAL_CLLR = 1.0  # LR = 1 whatever is seen


def always_positive_f1(labels: ArrayLike) -> float:
    """F1 of calling everything positive: 2π / (1 + π), π the share of positives."""
    share = float(np.asarray(labels, dtype=np.float64).mean())
    return 2 * share / (1 + share)


def always_positive_precision(labels: ArrayLike) -> float:
    """Precision of calling everything positive: π."""
    return float(np.asarray(labels, dtype=np.float64).mean())


def majority_accuracy(labels: ArrayLike) -> float:
    """Accuracy of always giving the more frequent answer: max(π, 1 − π)."""
    share = float(np.asarray(labels, dtype=np.float64).mean())
    return max(share, 1 - share)


def chance_tpr(limit: float) -> float:
    """True-positive rate of a coin that raises false alarms at rate ``limit``."""
    return limit


Criterion = Literal["f1", "accuracy", "youden"]


@dataclass(frozen=True)
class Decisions:
    """Counts of right and wrong answers, and the rates made of them; 0 where a rate has no cases."""

    true_positives: int
    false_positives: int
    true_negatives: int
    false_negatives: int

    @property
    def precision(self) -> float:
        """Share of the alarms that are right."""
        return _rate(self.true_positives, self.false_positives)

    @property
    def recall(self) -> float:
        """Share of the positives that are found."""
        return _rate(self.true_positives, self.false_negatives)

    @property
    def false_positive_rate(self) -> float:
        """Share of the negatives that raise an alarm."""
        return _rate(self.false_positives, self.true_negatives)

    @property
    def f1(self) -> float:
        """2·TP / (2·TP + FP + FN)."""
        return _rate(2 * self.true_positives, self.false_positives + self.false_negatives)

    @property
    def accuracy(self) -> float:
        """Share of right answers."""
        right = self.true_positives + self.true_negatives
        return _rate(right, self.false_positives + self.false_negatives)


def choose_threshold(labels: ArrayLike, scores: ArrayLike, criterion: Criterion = "f1") -> float:
    """The threshold best by ``criterion``; give it validation data, never the data the result is reported on.

    It lies halfway to the next lower score, so that new scores side with the old ones they resemble.
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
    """Count the answers of "score ≥ threshold is positive"."""
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
