"""How well scores tell faults from normal maps, domain by domain."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from handshift.healthmap.dataset import MapItem
from handshift.healthmap.thresholds import Scope, Thresholds
from handshift.metrics import UnmeasurableError, measure

FIGURES = ("auroc", "tpr_at_1", "tpr_at_5", "f1", "precision", "recall", "accuracy", "false_positive_rate")
MEAN = "mean"


def by_domain(
    items: Sequence[MapItem], scores: NDArray[np.float64], thresholds: Thresholds, scope: Scope = "domain"
) -> dict[str, dict[str, float]]:
    """Figures of each domain and their mean; a domain whose test maps are all of one class is left out."""
    labels = np.array([item.label for item in items])
    domains = np.array([item.domain for item in items])
    found: dict[str, dict[str, float]] = {}
    for domain in dict.fromkeys(domains.tolist()):
        own = domains == domain
        try:
            found[domain] = measure(FIGURES, labels[own], scores[own], thresholds.of_domain(domain, scope))
        except UnmeasurableError:
            continue
    if len(found) > 1:
        found[MEAN] = {name: fmean(figures[name] for figures in found.values()) for name in FIGURES}
    return found
