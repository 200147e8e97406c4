"""Registry of metrics by the names that studies and reports use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from handshift.core.errors import HandshiftError
from handshift.metrics.cllr import cllr
from handshift.metrics.decision import (
    CHANCE_AUROC,
    CHANCE_EER,
    NEUTRAL_CLLR,
    always_positive_f1,
    always_positive_precision,
    decide,
    majority_accuracy,
)
from handshift.metrics.roc import RocCurve, Sample


class UnknownMetricError(HandshiftError):
    """There is no metric of this name, or it needs a threshold."""


@dataclass(frozen=True)
class Metric:
    """A named metric.

    ``compute(sample, threshold)`` gives its value; only decision metrics use the threshold, which is chosen
    on validation data. ``trivial(labels)`` is the value reached without looking at the scores.
    """

    name: str
    title: str
    compute: Callable[[Sample, float], float]
    trivial: Callable[[ArrayLike], float]
    higher_is_better: bool
    needs_threshold: bool = False


def _ranking(
    name: str, title: str, figure: Callable[[RocCurve], float], chance: float, higher: bool = True
) -> Metric:
    return Metric(name, title, lambda sample, _: figure(sample.curve), lambda _: chance, higher)


def _strict(name: str, title: str, limit: float) -> Metric:
    return _ranking(name, title, lambda curve: curve.tpr_at(limit), limit)


def _deciding(name: str, title: str, chance: Callable[[ArrayLike], float], higher: bool = True) -> Metric:
    def compute(sample: Sample, threshold: float) -> float:
        return float(getattr(decide(*sample.items(), threshold), name))

    return Metric(name, title, compute, chance, higher, needs_threshold=True)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _ranking("auroc", "AUROC", lambda curve: curve.area, CHANCE_AUROC),
        _strict("tpr_at_1", "TPR at FPR ≤ 1 %", 0.01),
        _strict("tpr_at_5", "TPR at FPR ≤ 5 %", 0.05),
        _strict("tar_at_1e-4", "TAR at FAR ≤ 1e-4", 1e-4),
        _strict("tar_at_1e-5", "TAR at FAR ≤ 1e-5", 1e-5),
        _ranking("eer", "EER", lambda curve: curve.eer, CHANCE_EER, higher=False),
        Metric("cllr", "Cllr", lambda sample, _: cllr(*sample.items()), lambda _: NEUTRAL_CLLR, False),
        _deciding("f1", "F1", always_positive_f1),
        _deciding("precision", "precision", always_positive_precision),
        _deciding("recall", "recall", lambda _: 1.0),
        _deciding("accuracy", "accuracy", majority_accuracy),
        _deciding("false_positive_rate", "false-positive rate", lambda _: 1.0, higher=False),
    )
}


def measure(
    names: Iterable[str], labels: ArrayLike, scores: ArrayLike, threshold: float | None = None
) -> dict[str, float]:
    """Compute metrics by name.

    Args:
        names: Names from `METRICS`.
        labels: (N,) of 0 and 1.
        scores: (N,) scores, larger for label 1.
        threshold: For decision metrics, chosen on other data.

    Returns:
        The values by name.

    Raises:
        UnknownMetricError: A name is unknown, or a decision metric has no threshold.
        UnmeasurableError: One class is absent, or a score is NaN.
    """
    figures, sample = {}, Sample.of(labels, scores)
    for name in names:
        metric = METRICS.get(name)
        if metric is None:
            raise UnknownMetricError(f"no metric is called {name!r}; known are {', '.join(METRICS)}")
        if metric.needs_threshold and threshold is None:
            raise UnknownMetricError(f"{name} needs a threshold chosen on validation data")
        figures[name] = metric.compute(sample, 0.0 if threshold is None else threshold)
    return figures
