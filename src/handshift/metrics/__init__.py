"""Figures of merit, each with the value of a trivial detector for comparison.

Verification as the ArcFace paper reports it, of scored pairs:

    >>> import numpy as np
    >>> from handshift.metrics import auroc, eer, fold_accuracy, tar_at_far, tpr_at_fpr
    >>> rng = np.random.default_rng(0)
    >>> same = np.arange(2000) % 2 == 0
    >>> cosine = rng.normal(0.5 * same, 0.2)
    >>> auroc(same, cosine) > 0.94 and eer(same, cosine) < 0.13
    True
    >>> tar_at_far(same, cosine, 1e-2) == tpr_at_fpr(same, cosine, 1e-2)  # never more than 1 % false accepts
    True
    >>> writers = rng.integers(40, size=(2000, 2))  # of both sides: no writer is in two folds
    >>> fold_accuracy(same, cosine, writers, folds=10).mean > 0.8
    True
"""

from handshift.metrics.aupro import aupro
from handshift.metrics.bootstrap import Interval, bootstrap_interval, draw_counts, draw_groups
from handshift.metrics.cllr import cllr, cllr_cal, cllr_min
from handshift.metrics.decision import (
    Decisions,
    always_positive_f1,
    choose_threshold,
    decide,
    majority_accuracy,
)
from handshift.metrics.devpav import devpav
from handshift.metrics.folds import FoldAccuracy, fold_accuracy
from handshift.metrics.grouping import assignment_error, pairwise_f1
from handshift.metrics.named import METRICS, Metric, measure
from handshift.metrics.roc import (
    RocCurve,
    Sample,
    auroc,
    eer,
    roc_curve,
    tar_at_far,
    threshold_at_fpr,
    tpr_at_fpr,
)
from handshift.metrics.scored import UnmeasurableError

__all__ = [
    "METRICS",
    "Decisions",
    "FoldAccuracy",
    "Interval",
    "Metric",
    "RocCurve",
    "Sample",
    "UnmeasurableError",
    "always_positive_f1",
    "assignment_error",
    "aupro",
    "auroc",
    "bootstrap_interval",
    "choose_threshold",
    "cllr",
    "cllr_cal",
    "cllr_min",
    "decide",
    "devpav",
    "draw_counts",
    "draw_groups",
    "eer",
    "fold_accuracy",
    "majority_accuracy",
    "measure",
    "pairwise_f1",
    "roc_curve",
    "tar_at_far",
    "threshold_at_fpr",
    "tpr_at_fpr",
]
