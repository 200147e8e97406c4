"""`ScriptTest`: whether a page is in the validated script, from the geometry of its strokes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Floats = NDArray[np.float64]
_CLIP = 2.5
"""Standard deviations at which a measure is cut off: the dots of dotted paper would decide alone."""
_RIDGE = 2.0
_POPULATION = "population"


@dataclass(frozen=True, slots=True)
class ScriptTest:
    """Multinomial logistic regression on `handshift.page.stroke_geometry`.

    With z = clip((x − centre) / scale, ±2.5), the log-odds that a page is in one of the other scripts k are
    log Σₖ exp(wₖᵀz + bₖ); those of the population's own script are 0 by definition.
    """

    centre: tuple[float, ...]
    scale: tuple[float, ...]
    weights: dict[str, tuple[float, ...]]
    """By the database of another script: wₖ, and bₖ at the end."""
    threshold: float
    """Log-odds beyond which a page is called outside."""
    held_out: dict[str, float] = field(default_factory=dict)
    """Share of each database's pages that is called outside, by writers whom the fit has not seen."""

    @classmethod
    def fit(
        cls, inside: Mapping[str, Floats], outside: Mapping[str, Floats], false_alarms: float
    ) -> ScriptTest:
        """Fit on pages of either kind.

        Args:
            inside: By database of the population, (pages, measures); databases weigh the same.
            outside: By database in another script.
            false_alarms: Share of a database's pages inside that may be called outside, by a Gaussian tail.
        """
        groups = {_POPULATION: list(inside.values())} | {name: [rows] for name, rows in outside.items()}
        rows = np.concatenate([pages for group in groups.values() for pages in group])
        centre, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
        weights = _regression(list(groups.values()), centre, scale)  # (measures + 1, scripts)
        own = weights[:, 0]
        named = {name: tuple(map(float, weights[:, at] - own)) for at, name in enumerate(groups) if at > 0}
        test = cls(tuple(map(float, centre)), tuple(map(float, scale)), named, 0.0)
        reach = -NormalDist().inv_cdf(false_alarms)
        scores = [np.array([test.score(row) for row in pages]) for pages in inside.values()]
        highest = max(float(one.mean() + reach * one.std(ddof=min(1, one.size - 1))) for one in scores)
        return replace(test, threshold=highest)

    def measured_on(self, pages: Mapping[str, Floats]) -> ScriptTest:
        """The same test with the shares of pages by other writers that it calls outside.

        Args:
            pages: By database, (pages, measures).
        """
        shares = {
            name: round(float(np.mean([self.is_other(row) for row in rows])), 4)
            for name, rows in pages.items()
        }
        return replace(self, held_out=shares)

    def score(self, geometry: Floats) -> float:
        """Log-odds that a page is in another script.

        Args:
            geometry: (measures,) of the page.
        """
        place = _standardised(geometry[None], np.array(self.centre), np.array(self.scale))[0]
        return float(np.logaddexp.reduce([place @ np.array(one) for one in self.weights.values()]))

    def is_other(self, geometry: Floats | None) -> bool:
        """Whether a page is called outside; not where it could not be measured."""
        return geometry is not None and self.score(geometry) > self.threshold

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> ScriptTest:
        """What `dataclasses.asdict` gave.

        Raises:
            KeyError, TypeError, ValueError: It is something else.
        """
        centre, scale = (tuple(map(float, record[name])) for name in ("centre", "scale"))
        weights = {str(name): tuple(map(float, row)) for name, row in dict(record["weights"]).items()}
        shares = {str(name): float(share) for name, share in dict(record.get("held_out", {})).items()}
        test = cls(centre, scale, weights, float(record["threshold"]), shares)
        lengths = {len(row) - 1 for row in weights.values()} | {len(scale)}
        if lengths != {len(centre)} or not weights or min(scale, default=0.0) <= 0:
            raise ValueError("lengths of the script test that do not fit each other")
        if not np.isfinite([*centre, *scale, *sum(weights.values(), ()), test.threshold]).all():
            raise ValueError("a number that is not finite")
        return test


def _standardised(rows: Floats, centre: Floats, scale: Floats) -> Floats:
    """(pages, measures + 1), with a constant at the end."""
    clipped = np.clip((rows - centre) / scale, -_CLIP, _CLIP)
    return np.hstack([clipped, np.ones((len(rows), 1))])


def _regression(groups: Sequence[Sequence[Floats]], centre: Floats, scale: Floats) -> Floats:
    """(measures + 1, scripts) of a softmax with ridge; scripts weigh the same, and so do their databases."""
    pages = [pages for group in groups for pages in group]
    terms = _standardised(np.concatenate(pages), centre, scale)
    script = np.concatenate([np.full(len(rows), at) for at, group in enumerate(groups) for rows in group])
    share = [1 / (len(rows) * len(group) * len(groups)) for group in groups for rows in group]
    weight = np.repeat(share, [len(rows) for rows in pages]) * len(terms)
    truth = np.eye(len(groups))[script]

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(-1, len(groups))
        logits = terms @ weights
        logs = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        slope = terms.T @ (weight[:, None] * (np.exp(logs) - truth))
        slope[:-1] += _RIDGE * weights[:-1]
        ridge = _RIDGE / 2 * float(np.square(weights[:-1]).sum())
        return ridge - float((weight[:, None] * truth * logs).sum()), slope.ravel()

    found = minimize(loss, np.zeros(terms.shape[1] * len(groups)), jac=True, method="L-BFGS-B")
    return np.asarray(found.x.reshape(-1, len(groups)), np.float64)
