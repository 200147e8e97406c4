"""From which score on a map is flagged: set by normal maps alone, never by faults and never by test maps.

How well scores tell faults from normal maps, domain by domain.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.healthmap.dataset import MapItem
from handshift.metrics import UnmeasurableError, measure

log = logging.getLogger(__name__)
Scope = Literal["domain", "global"]


class Thresholds(BaseModel):
    """One threshold for all maps, and one for each domain, both for the same share of false alarms."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: float = Field(gt=0, lt=1, description="share of normal maps that may be flagged")
    overall: float
    by_domain: dict[str, float]

    @classmethod
    def of(cls, scores: ArrayLike, domains: Sequence[str], target: float = 0.01) -> Thresholds:
        """Fit to the scores of normal validation maps (N,) and their domains."""
        values, names = np.asarray(scores, np.float64), np.asarray(domains)
        by_domain = {name: threshold_of(values[names == name], target, name) for name in sorted(set(domains))}
        return cls(target=target, overall=threshold_of(values, target, "all"), by_domain=by_domain)

    def of_domain(self, domain: str | None, scope: Scope = "domain") -> float:
        """The domain's own where it is known and wanted, otherwise the one for all."""
        return self.by_domain.get(domain or "", self.overall) if scope == "domain" else self.overall


def threshold_of(normal: ArrayLike, target: float, name: str = "") -> float:
    """The score that a new normal map reaches with probability ≤ ``target``.

    Of n normal scores the new one is larger than all but the k largest with probability (k+1)/(n+1), so
    k = ⌊target·(n+1)⌋ − 1 and the threshold lies just above the (k+1)-th largest. Where n is too small for
    any such k, it lies above them all, which promises only 1/(n+1), and that is said.
    """
    values = np.sort(np.asarray(normal, np.float64))[::-1]
    allowed = int(np.floor(target * (values.size + 1) + 1e-9)) - 1
    if allowed < 0:
        log.warning(
            "thresholds, %s: %d normal validation maps cannot promise %.3g %% false alarms, only %.3g %%",
            name, values.size, 100 * target, 100 / (values.size + 1),
        )  # fmt: skip
    return float(np.nextafter(values[max(allowed, 0)], np.inf))


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
