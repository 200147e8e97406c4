"""Conformal thresholds from the scores of normal validation maps, and test figures by domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BaseModel, ConfigDict, Field

from handshift.healthmap.dataset import MapItem
from handshift.metrics import UnmeasurableError, measure

Scope = Literal["domain", "global"]


@dataclass(frozen=True, slots=True)
class WeakThreshold:
    """A threshold that rests on too few normal maps to guarantee its target.

    Attributes:
        domain: Whose threshold it is; None for the one over all domains.
        count: Normal maps it rests on.
        guaranteed: False-alarm rate that it guarantees.
        target: False-alarm rate that was asked for.
    """

    domain: str | None
    count: int
    guaranteed: float
    target: float

    @property
    def needed(self) -> int:
        """Normal maps that would guarantee the target."""
        return round(1 / self.target) - 1

    def __str__(self) -> str:
        return (
            f"the threshold of {self.domain or 'all domains'} rests on {self.count} normal maps: "
            f"it guarantees {self.guaranteed:.1%} false alarms, not {self.target:.1%}; "
            f"{self.needed} are needed"
        )


class Thresholds(BaseModel):
    """One threshold for all maps and one for each domain, for the same target false-alarm rate.

    Attributes:
        target: Share of normal maps that may be flagged.
        overall: Threshold over all domains.
        by_domain: Threshold of each domain.
        counts: Normal validation maps of each domain, on which its threshold rests.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    target: float = Field(gt=0, lt=1, description="share of normal maps that may be flagged")
    overall: float
    by_domain: dict[str, float]
    counts: dict[str, int] = {}

    @classmethod
    def fit(cls, scores: ArrayLike, domains: Sequence[str], target: float = 0.01) -> Thresholds:
        """Set the thresholds on normal validation maps; test maps and faults are never used.

        Args:
            scores: Of normal validation maps, (N,).
            domains: Of the same maps, (N,).
            target: Share of normal maps that may be flagged.

        Returns:
            The thresholds.
        """
        values, names = np.asarray(scores, np.float64), np.asarray(domains)
        by_domain = {
            name: conformal_threshold(values[names == name], target) for name in sorted(set(domains))
        }
        counts = {name: int((names == name).sum()) for name in by_domain}
        overall = conformal_threshold(values, target)
        return cls(target=target, overall=overall, by_domain=by_domain, counts=counts)

    def of_domain(self, domain: str | None, scope: Scope = "domain") -> float:
        """The domain's own threshold if known and ``scope`` is ``domain``, otherwise the overall one."""
        return self.by_domain.get(domain or "", self.overall) if scope == "domain" else self.overall

    def guaranteed(self, domain: str | None, scope: Scope = "domain") -> float | None:
        """False-alarm rate that the threshold guarantees: the target, or 1/(n+1) if n maps are too few.

        None for a model trained before the number of validation maps was stored.
        """
        if not self.counts:
            return None
        own = scope == "domain" and domain in self.counts
        count = self.counts[str(domain)] if own else sum(self.counts.values())
        return max(self.target, 1 / (count + 1))

    def weak(
        self, scope: Scope = "domain", domains: Iterable[str | None] | None = None
    ) -> list[WeakThreshold]:
        """Every threshold that rests on too few maps to guarantee the target.

        Args:
            scope: Whether each domain's own threshold is used or the overall one.
            domains: Domains of the scored maps; all of the model if not given.

        Returns:
            The weak ones among the thresholds that are used.
        """
        used = list(self.by_domain) if domains is None else list(dict.fromkeys(domains))
        names = [name if scope == "domain" and name in self.by_domain else None for name in used]
        found: list[WeakThreshold] = []
        for name in dict.fromkeys(names):
            rate = self.guaranteed(name, scope)
            if rate is not None and rate > self.target:
                count = self.counts[name] if name else sum(self.counts.values())
                found.append(WeakThreshold(name, count, rate, self.target))
        return found


def conformal_threshold(normal: ArrayLike, target: float) -> float:
    """Split-conformal threshold: a new normal map reaches it with probability ≤ ``target``.

    A new score exceeds all but the k largest of n exchangeable normal scores with probability (k+1)/(n+1), so
    k = ⌊target·(n+1)⌋ − 1 and the threshold lies just above the (k+1)-th largest. If n is too small for any
    such k, the threshold lies above all n scores, which guarantees only 1/(n+1): see `Thresholds.weak`.

    Args:
        normal: Scores of normal maps, (n,).
        target: False-alarm rate.

    Returns:
        The threshold.
    """
    values = np.sort(np.asarray(normal, np.float64))[::-1]
    allowed = int(np.floor(target * (values.size + 1) + 1e-9)) - 1
    return float(np.nextafter(values[max(allowed, 0)], np.inf))


FIGURES = ("auroc", "tpr_at_1", "tpr_at_5", "f1", "precision", "recall", "accuracy", "false_positive_rate")
MEAN = "mean"


def figures_by_domain(
    items: Sequence[MapItem], scores: NDArray[np.float64], thresholds: Thresholds, scope: Scope = "domain"
) -> dict[str, dict[str, float]]:
    """AUROC, TPR and decision figures of each domain, and their mean over domains.

    Args:
        items: Test maps.
        scores: Of the test maps, (N,).
        thresholds: For the decision figures.
        scope: Whether each domain's own threshold is used or the overall one.

    Returns:
        Figures by domain and, with more than one domain, under ``mean``. A domain whose test maps are all of
        one class is left out.
    """
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
