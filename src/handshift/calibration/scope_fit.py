"""`ScopeFit`: what pages inside and outside of a model's scope are like, fitted on known pages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.detect.plda import Plda

FILE = "scope.json"
Floats = NDArray[np.float64]
_RIDGE = 0.1
"""Added to the covariance of words, relative to its mean variance, before the discriminant is computed."""


@dataclass(frozen=True, slots=True)
class ScopeFit:
    """A discriminant between the validated script and others, and how usual pages of the population are.

    The page's script score is the mean over its words of wᵀ[x, log |r|] − b, x being a word's projected
    vector and r the network's row; positive is inside. Typicality is the Mahalanobis distance of the page's
    (log mean square of its mean vector over the population's variance, log mean square of its words about
    their mean, mean log row length) from the population's.
    """

    weights: tuple[float, ...]
    bias: float
    script_threshold: float
    """Script scores below are outside; the share `false_alarms` of the population's pages lies below."""
    centre: tuple[float, ...]
    precision: tuple[tuple[float, ...], ...]
    distances: tuple[float, ...]
    """Distances of the population's pages, rising: a page's own is compared with them."""
    distance_threshold: float
    false_alarms: float
    databases: dict[str, int]
    """Pages of each database that it was fitted on."""

    @classmethod
    def fit(
        cls,
        inside: Sequence[NDArray[np.float32]],
        outside: Sequence[NDArray[np.float32]],
        plda: Plda,
        databases: dict[str, int],
        false_alarms: float = 0.01,
    ) -> ScopeFit:
        """Fit on pages of either kind.

        Args:
            inside: (words, dimensions) vectors of each page of the population.
            outside: Those of pages in other scripts, print and drawings.
            plda: The model's covariances.
            databases: Pages of each database, for the record.
            false_alarms: Share of the population's pages that each of the two tests may call outside.
        """
        own = [_described(page, plda) for page in inside]
        others = [_described(page, plda) for page in outside]
        weights, bias = _discriminant(np.concatenate(own), np.concatenate(others))
        scores = np.array([float((rows @ weights - bias).mean()) for rows in own])
        traits = np.array([page_traits(page, plda) for page in inside])
        centre = np.median(traits, axis=0)
        spread = np.cov(traits.T) + 1e-3 * np.eye(traits.shape[1])
        precision = np.asarray(np.linalg.inv(spread), np.float64)
        distances = np.sort([_distance(row, centre, precision) for row in traits])
        # A Gaussian tail, because a hundredth of some sixty pages is less than one.
        reach = -NormalDist().inv_cdf(false_alarms)
        logs = np.log(np.maximum(distances, 1e-6))
        return cls(
            tuple(map(float, weights)),
            float(bias),
            float(scores.mean() - reach * scores.std(ddof=1)),
            tuple(map(float, centre)),
            tuple(tuple(map(float, row)) for row in precision),
            tuple(round(float(one), 4) for one in distances),
            float(np.exp(logs.mean() + reach * logs.std(ddof=1))),
            false_alarms,
            databases,
        )

    def script_score(self, vectors: NDArray[np.float32], plda: Plda) -> tuple[float, float]:
        """Mean discriminant of a page's words, positive inside, and its standard error."""
        scores = _described(vectors, plda) @ np.array(self.weights) - self.bias
        spread = scores.std(ddof=1) if len(scores) > 1 else np.inf
        return float(scores.mean()), float(spread / np.sqrt(len(scores)))

    def distance(self, vectors: NDArray[np.float32], plda: Plda) -> float:
        """How unusual a page is."""
        return _distance(page_traits(vectors, plda), np.array(self.centre), np.array(self.precision))

    def as_unusual(self, distance: float) -> float:
        """Share of the population's pages that are at least as unusual."""
        return float(np.mean(np.array(self.distances) >= distance))

    def save(self, folder: Path) -> None:
        """Write into a model's folder."""
        write_text(folder / FILE, json.dumps(asdict(self), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, folder: Path) -> ScopeFit | None:
        """Read what `save` wrote; None where the model has none.

        Raises:
            HandshiftError: The file is damaged.
        """
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            content: dict[str, Any] = read_json_object(path, "a fitted scope")
            content["precision"] = tuple(tuple(map(float, row)) for row in content["precision"])
            for name in ("weights", "centre", "distances"):
                content[name] = tuple(map(float, content[name]))
            for name in ("bias", "script_threshold", "distance_threshold", "false_alarms"):
                content[name] = float(content[name])
            return cls(**content)._checked()
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise HandshiftError(f"{path}: not a fitted scope ({error}); fit it again") from error

    def _checked(self) -> ScopeFit:
        sides = {len(self.precision), *map(len, self.precision)}
        if not self.weights or not self.distances or sides != {len(self.centre)}:
            raise ValueError("lengths that do not fit each other")
        if not np.isfinite([*self.weights, self.bias, *self.centre, *sum(self.precision, ())]).all():
            raise ValueError("a number that is not finite")
        return self


def page_traits(vectors: NDArray[np.float32], plda: Plda) -> Floats:
    """Three figures of a page: how far its mean lies off, how much its words vary, how long its rows are."""
    words = plda.project(vectors)
    count = len(words)
    mean = words.mean(axis=0)
    off = np.square(mean) / (plda.writer + plda.session + 1 / count)
    within = np.square(words - mean).sum(axis=0) / max(1, count - 1)
    length = np.log(np.linalg.norm(vectors, axis=1) + 1e-6)
    return np.array([np.log(off.mean()), np.log(within.mean() + 1e-6), length.mean()])


def _described(vectors: NDArray[np.float32], plda: Plda) -> Floats:
    """(words, dimensions + 1): projected vectors, and the logarithm of the row's length."""
    length = np.log(np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6)
    return np.hstack([plda.project(vectors), length])


def _discriminant(inside: Floats, outside: Floats) -> tuple[Floats, float]:
    """Fisher's linear discriminant, half-way between the two means."""
    within = (np.cov(inside.T) + np.cov(outside.T)) / 2
    within += _RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    weights = np.linalg.solve(within, inside.mean(axis=0) - outside.mean(axis=0))
    return weights, float(weights @ (inside.mean(axis=0) + outside.mean(axis=0)) / 2)


def _distance(traits: Floats, centre: Floats, precision: Floats) -> float:
    off = traits - centre
    return float(np.sqrt(max(0.0, float(off @ precision @ off))))
