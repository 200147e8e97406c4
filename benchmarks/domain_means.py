"""Figures of scored maps, as means over their domains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from handshift.metrics import auroc, tpr_at_fpr


def domain_means(
    domains: Sequence[str], labels: Sequence[int], scores: NDArray[np.float64]
) -> dict[str, float]:
    """AUROC and TPR at FPR ≤ 1 % and ≤ 5 % of each domain, averaged.

    Args:
        domains: Of the maps, (N,).
        labels: 0 normal, 1 faulty, (N,).
        scores: (N,).

    Returns:
        Means by name.
    """
    truth, names = np.array(labels), np.array(domains)
    parts = [names == name for name in np.unique(names)]
    found = {
        "auroc": [auroc(truth[own], scores[own]) for own in parts],
        "tpr_at_1": [tpr_at_fpr(truth[own], scores[own], 0.01) for own in parts],
        "tpr_at_5": [tpr_at_fpr(truth[own], scores[own], 0.05) for own in parts],
    }
    return {name: round(float(np.mean(values)), 4) for name, values in found.items()}
