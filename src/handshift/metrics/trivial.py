"""What a detector that knows nothing would score: the figure to print beside every figure."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

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
